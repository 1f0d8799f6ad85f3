/**
 * Locks of one account by what they are for, until the transaction is over. They are none of the account's row: where
 * Citus has a copy of that on every server, its lock is one of all accounts, and keeps those from writing.
 */
import { adhoc, type Queryable } from '../../../db/database.ts';
import { raw, sql } from '../../../db/sql/sql.ts';

type Purpose = 'erasure' | 'import' | 'views' | 'webhooks';

/** Waits until no other transaction has the account's lock for this, and takes it. */
export const lockAlone = (db: Queryable, accountId: number, purpose: Purpose): Promise<unknown> =>
  lock(db, accountId, purpose, 'pg_advisory_xact_lock');

/** Takes the account's lock beside others who share it, once nobody has it alone. */
export const lockShared = (db: Queryable, accountId: number, purpose: Purpose): Promise<unknown> =>
  lock(db, accountId, purpose, 'pg_advisory_xact_lock_shared');

const lock = (db: Queryable, accountId: number, purpose: Purpose, take: string) =>
  db.query(sql`SELECT ${raw(take)}(hashtextextended(${`crm ${purpose} ${accountId}`}, 0))`, adhoc);
