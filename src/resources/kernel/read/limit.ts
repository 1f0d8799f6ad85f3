import { atMost } from '../../../errors/codes.ts';
import type { Faults } from '../../../errors/errors.ts';
import { integer } from '../fields/fields.ts';
import { readFields } from '../fields/input.ts';

/**
 * Reads how many of something are wanted; null, and the empty part of a query string, are as good as nothing.
 * @param max that may be asked for
 * @param min likewise
 */
export function readLimit(
  argument: string,
  value: unknown,
  max: number,
  faults: Faults,
  min = 1,
): number | undefined {
  const fields = { [argument]: integer({ min }) };
  const number = value === '' ? undefined : (value ?? undefined);
  const limit = readFields({ [argument]: number }, fields, faults)[argument];
  if (limit !== undefined && limit > max) {
    faults.add(argument, atMost(max));
  }
  return limit;
}
