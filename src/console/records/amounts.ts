/** Amounts and quantities as people type them. */
import { Refusal } from '../api/refusal.ts';

/** An amount to be edited: `1234.50`. */
export const typedCents = (cents: number): string => (cents / 100).toFixed(2);

/**
 * Cents of an amount with either mark before its decimals: at most two digits behind the last mark are
 * decimals, and other marks part thousands (`1.234`, `1,234.5`, `1 234,50`).
 * @param name of the field, for the refusal
 * @throws {Refusal} VALIDATION_FAILED when it is not such an amount
 */
export function centsOf(typed: string, name: string): number {
  const [, whole = '', decimals = ''] = /^(.*?)(?:[.,](\d{0,2}))?$/.exec(typed.trim()) ?? [];
  const digits = whole.replaceAll(/(?<=\d)[.,'\s](?=\d{3}(?!\d))/g, '');
  return wholeOf(digits && digits + decimals.padEnd(2, '0'), name);
}

/** @throws {Refusal} VALIDATION_FAILED when it is not a whole number of 0 or more */
export function wholeOf(typed: string, name: string): number {
  const number = Number(typed);
  if (/^\d+$/.test(typed.trim()) && Number.isSafeInteger(number)) return number;
  throw new Refusal('VALIDATION_FAILED', [], { [name]: ['is invalid'] });
}
