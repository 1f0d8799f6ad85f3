/**
 * Who brings records of an account back and who begins to erase one of them wait for each other. It is no lock of the
 * account's row: where Citus has a copy of that on every server, its lock is one of all accounts, and keeps those from
 * writing.
 */
import { adhoc, type Queryable } from '../../db/database.ts';
import { raw, sql } from '../../db/sql/sql.ts';

/** Has erasures that begin meanwhile wait until this transaction is over, so that they find what it brings back. */
export const keepErasuresOut = (db: Queryable, accountId: number): Promise<unknown> =>
  lock(db, accountId, 'pg_advisory_xact_lock_shared');

/** Waits for those who keep erasures out, and lets none begin until this transaction is over. */
export const waitToErase = (db: Queryable, accountId: number): Promise<unknown> =>
  lock(db, accountId, 'pg_advisory_xact_lock');

const lock = (db: Queryable, accountId: number, take: string): Promise<unknown> =>
  db.query(sql`SELECT ${raw(take)}(hashtextextended(${`crm erasure ${accountId}`}, 0))`, adhoc);
