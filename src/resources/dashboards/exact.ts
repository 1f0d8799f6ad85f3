import { Fault } from '../../errors.ts';

/** @throws {Fault} VALIDATION_FAILED for a sum that JSON would not carry exactly */
export function requireExact(sum: number): void {
  if (Number.isSafeInteger(sum)) return;
  throw new Fault('VALIDATION_FAILED', [`A sum is larger than ${Number.MAX_SAFE_INTEGER}`]);
}
