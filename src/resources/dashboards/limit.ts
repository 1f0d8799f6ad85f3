import type { Faults } from '../../errors.ts';
import { integer } from '../kernel/fields.ts';
import { readFields } from '../kernel/input.ts';

/**
 * Reads how many of something are wanted, from 1; null is as good as nothing.
 * @param most that may be asked for
 */
export function readLimit(
  argument: string,
  value: unknown,
  most: number,
  faults: Faults,
): number | undefined {
  const fields = { [argument]: integer({ least: 1 }) };
  const limit = readFields({ [argument]: value ?? undefined }, fields, faults)[argument];
  if (limit !== undefined && limit > most) {
    faults.add(argument, `must be less than or equal to ${most}`);
  }
  return limit;
}
