import { atMost } from '../../../errors/codes.ts';
import type { Faults } from '../../../errors/errors.ts';
import { integer } from '../fields/fields.ts';
import { readFields } from '../fields/input.ts';

/**
 * Reads how many of something are wanted; null, and the empty part of a query string, are as good as nothing.
 * @param most that may be asked for
 * @param least likewise
 */
export function readLimit(
  argument: string,
  value: unknown,
  most: number,
  faults: Faults,
  least = 1,
): number | undefined {
  const fields = { [argument]: integer({ least }) };
  const sent = value === '' ? undefined : (value ?? undefined);
  const limit = readFields({ [argument]: sent }, fields, faults)[argument];
  if (limit !== undefined && limit > most) {
    faults.add(argument, atMost(most));
  }
  return limit;
}
