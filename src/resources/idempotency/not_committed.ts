import { DatabaseError, isStoppedAtLock } from '../../db/errors.ts';

export const table = 'idempotency_keys';

/** Whether somebody else has stored an answer to a call with the same key. */
export const isTaken = (error: unknown): boolean =>
  error instanceof DatabaseError && error.constraint === `${table}_account_id_digest_part_key`;

/** What was done is undone, because somebody else was first. */
export class NotCommitted extends Error {
  /** Whether it was somebody with the same key, who is through or nearly so. */
  readonly isOfKey: boolean;

  constructor(cause: unknown) {
    super('what was done was not committed', { cause });
    this.isOfKey = isTaken(cause) || isStoppedAtLock(cause);
  }
}
