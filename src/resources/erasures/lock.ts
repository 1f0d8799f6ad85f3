/** Who brings records of an account back and who begins to erase one of them wait for each other. */
import type { Queryable } from '../../db/database.ts';
import { lockAlone, lockShared } from '../kernel/write/lock.ts';

/** Has erasures that begin meanwhile wait until this transaction is over, so that they find what it brings back. */
export const keepErasuresOut = (db: Queryable, accountId: number): Promise<unknown> =>
  lockShared(db, accountId, 'erasure');

/** Waits for those who keep erasures out, and lets none begin until this transaction is over. */
export const waitToErase = (db: Queryable, accountId: number): Promise<unknown> =>
  lockAlone(db, accountId, 'erasure');
