/**
 * Reads a JSON integer or its canonical decimal string, which form-based integrations send.
 * @returns NaN for anything else, ±Infinity for an integer beyond 2^53-1
 */
export function readInteger(value: unknown): number {
  const number = typeof value === 'string' && canonical.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return Number.NaN;
  if (Number.isSafeInteger(number)) return number;
  // A text of enough digits becomes Infinity, which is not an integer.
  return Number.isInteger(number) || typeof value === 'string' ? number * Infinity : Number.NaN;
}

const canonical = /^(0|-?[1-9]\d*)$/;

/** Reads the id of a record: a positive integer. */
export function asId(value: unknown): number | undefined {
  const id = readInteger(value);
  return id > 0 && id < Infinity ? id : undefined;
}
