/**
 * Erasures, done in pieces: each is a transaction that also stores how far the erasure has come. Whoever does
 * the next piece continues from there, so one that was interrupted is finished by any process.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { operator } from '../../auth/operator.ts';
import { type Context, operating, type UnitOfWork } from '../../context/context.ts';
import { adhoc, type Database, type Queryable } from '../../db/database.ts';
import { isStoppedBy } from '../../db/errors.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { retryConflicts } from '../../db/transactions/retry.ts';
import { recordAudit } from '../audit/entry.ts';
import { waitToErase } from './lock.ts';
import type { PageSize } from './pages.ts';
import { type Place, steps } from './steps.ts';

/** Which erasure. */
export interface Reference {
  readonly account_id: number;
  readonly id: number;
}

/** How far one has come. */
export interface Progress {
  readonly isOver: boolean;
  /** How many entries hold no values any more. */
  readonly entries: number;
}

/** A process that has done no piece for so many seconds is taken to be gone. A piece takes less. */
const claimSeconds = 15;

/** What one piece may be: some 0.1 seconds of PostgreSQL's time. */
const usual: PageSize = { rows: 2000, bytes: 2 * 1024 * 1024 };

/** The longest pause between two pieces, in milliseconds. */
const longestPause = 500;

const claim = raw(`now() + make_interval(secs => ${claimSeconds})`);

/**
 * Begins an erasure, or joins the one of this contact that is not finished. From here on it will be. It waits
 * for those who bring records of the account back.
 */
export const begin = (
  { db, viewer: { accountId, userId, tokenId }, requestId }: Omit<Context, 'signing'>,
  contactId: number,
): Promise<Reference> =>
  retryConflicts(() =>
    db.transaction(async (tx) => {
      await waitToErase(tx, accountId);
      const [row] = await tx.query<Reference>(
        sql`INSERT INTO erasures (account_id, contact_id, user_id, token_id, request_id, claimed_until)
            VALUES (${accountId}, ${contactId}, NULLIF(${userId}::bigint, 0), ${tokenId}::bigint, ${requestId}, ${claim})
            ON CONFLICT (account_id, contact_id) DO UPDATE SET claimed_until = excluded.claimed_until
            RETURNING account_id, id`,
        adhoc,
      );
      if (!row) throw new Error('an erasure that was inserted was not returned');
      return row;
    }),
  );

/** The oldest erasure of each account that nobody is at work on. */
export const unclaimed = (db: Queryable, max: number): Promise<Reference[]> =>
  db.query<Reference>(
    sql`SELECT account_id, min(id) AS id FROM erasures WHERE claimed_until < now() GROUP BY account_id LIMIT ${max}`,
    { reads: true },
  );

/** @returns whether it was taken on, and by nobody else meanwhile */
export async function take(db: Queryable, { account_id, id }: Reference): Promise<boolean> {
  const rows = await db.query(
    sql`UPDATE erasures SET claimed_until = ${claim}
        WHERE account_id = ${account_id} AND id = ${id} AND claimed_until < now() RETURNING id`,
    adhoc,
  );
  return rows.length > 0;
}

/** Leaves an erasure to whoever takes it on next. */
export async function leave(db: Queryable, { account_id, id }: Reference): Promise<void> {
  await db.query(
    sql`UPDATE erasures SET claimed_until = now() WHERE account_id = ${account_id} AND id = ${id}`,
    adhoc,
  );
}

/**
 * Does an erasure piece by piece, with pauses in which others have the database. A piece that PostgreSQL had
 * to stop, because it took too long, is made smaller.
 * @param db called for each piece
 * @param size of a piece
 * @returns after each piece how far it has come; it ends with the erasure, whoever finished that
 */
export async function* proceed(
  db: () => Database,
  which: Reference,
  size: PageSize = usual,
): AsyncGenerator<Progress, void, void> {
  for (let some = size; ; ) {
    const begun = performance.now();
    try {
      const progress = await doPiece(db(), which, some);
      if (progress) yield progress;
      if (!progress || progress.isOver) return;
    } catch (error) {
      if (!isStoppedBy(error, '57014') || some.rows === 1) throw error;
      some = { rows: Math.ceil(some.rows / 4), bytes: some.bytes / 4 };
    }
    await sleep(Math.min(longestPause, performance.now() - begun));
  }
}

interface Row extends Place {
  readonly id: number;
  readonly contact_id: number;
  readonly user_id: number | null;
  readonly token_id: number | null;
  readonly request_id: string;
  readonly step: string;
  readonly entries: number;
}

/** @returns undefined when it is over already */
const doPiece = (
  db: Database,
  { account_id, id }: Reference,
  size: PageSize,
): Promise<Progress | undefined> =>
  retryConflicts(() =>
    db.transaction(async (tx) => {
      const [row] = await tx.query<Row>(
        sql`SELECT id, contact_id, user_id, token_id, request_id, step, place, last, entries
            FROM erasures WHERE account_id = ${account_id} AND id = ${id} FOR UPDATE`,
        adhoc,
      );
      return row && continued(contextOf(tx, account_id, row), row, size);
    }),
  );

/** As whoever asked for it, as far as the trail says who that was. */
const contextOf = (
  db: Queryable,
  accountId: number,
  { user_id, token_id, request_id: requestId }: Row,
): UnitOfWork => ({
  ...operating({ db, now: new Date(), requestId }, accountId),
  viewer: { ...operator(accountId), userId: user_id ?? 0, tokenId: token_id },
});

/** Goes on with the step that the row names, or with the next one that finds something to do. */
async function continued(ctx: UnitOfWork, row: Row, size: PageSize): Promise<Progress> {
  const names = [...steps.keys()];
  let at: Place = row;
  for (const name of names.slice(names.indexOf(row.step))) {
    const piece = await steps.get(name)?.(ctx, row, at, size);
    if (piece) {
      const entries = row.entries + piece.entries;
      await store(ctx, row.id, name, { ...piece, entries });
      return { isOver: false, entries };
    }
    at = { place: 0, last: null };
    // What it locked is to be free before anything is read: see the removal of a contact.
    if (name === 'removal') {
      await store(ctx, row.id, names[1] ?? '', { ...at, entries: row.entries });
      return { isOver: false, entries: row.entries };
    }
  }
  await recordAudit(ctx, 'contact.erase', row.contact_id, { before: null, after: null });
  await ctx.db.query(
    sql`DELETE FROM erasures WHERE account_id = ${ctx.viewer.accountId} AND id = ${row.id}`,
    adhoc,
  );
  return { isOver: true, entries: row.entries };
}

async function store(
  { db, viewer: { accountId } }: UnitOfWork,
  id: number,
  step: string,
  { place, last, entries }: Place & { readonly entries: number },
): Promise<void> {
  await db.query(
    sql`UPDATE erasures SET step = ${step}, place = ${place}, last = ${last}::bigint, entries = ${entries},
          claimed_until = ${claim}
        WHERE account_id = ${accountId} AND id = ${id}`,
    adhoc,
  );
}
