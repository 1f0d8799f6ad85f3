/** Events that fall due: those that are not done when their `scheduled_at` passes. */
import { randomUUID } from 'node:crypto';
import { operating, type UnitOfWork } from '../../context/context.ts';
import { adhoc, type Database, type Queryable } from '../../db/database.ts';
import { raw, sql } from '../../db/sql/sql.ts';
import { timestampJson } from '../../db/sql/timestamp.ts';
import { RecurringWork } from '../../lib/recurring_work.ts';
import { auditedRow } from '../audit/columns.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import { clock, clockWhere } from '../kernel/write/moment.ts';
import { inTransaction } from '../kernel/write/transaction.ts';
import { events } from './record.ts';

/** How often is looked for them: a change may be told a minute late. */
const everyMs = 10_000;

/** Events of one account that a transaction writes, and how long it may take in milliseconds. */
const piece = { events: 500, ms: 10_000 } as const;

/** Accounts that are found in one look; each has its turn before any has its second. */
const maxAccounts = 100;

/** The condition of the index `events_due_idx`, and that the moment has come. */
const isDue = raw(
  '"done_at" IS NULL AND "scheduled_at" IS NOT NULL AND ("due_at" IS NULL OR "due_at" < "scheduled_at") AND "scheduled_at" <= now()',
);

/** Where it reports what it could not do. */
interface Log {
  warn(what: object, text: string): void;
}

type Notify = (accountId: number, eventIds: readonly number[]) => Promise<void>;

/**
 * Tells the trail, and so the feed and webhooks, of events that have fallen due, once for each `scheduled_at`.
 * Any number of processes may: each takes what no other has locked.
 */
export class DueEvents {
  readonly #db: Database;
  readonly #log: Log;
  readonly #notify: Notify;
  readonly #looking = new RecurringWork(everyMs, () => this.look());
  #isWell = true;

  /** @param notify is called with those of an account that the trail has been told of */
  constructor(db: Database, log: Log, notify: Notify) {
    this.#db = db;
    this.#log = log;
    this.#notify = notify;
  }

  /** Looks now and then until `close`; not at the start, when others want the database. */
  start(): void {
    this.#looking.start();
  }

  /** Tells of all that have fallen due. What fails is tried again the next time. */
  async look(): Promise<void> {
    const failed: unknown[] = [];
    for (let isMore = true; isMore && !this.#looking.isClosed && failed.length === 0; ) {
      isMore = false;
      const accounts = await accountsWithDue(this.#database()).catch((error) => {
        failed.push(error);
        return [];
      });
      for (const accountId of accounts) {
        if (this.#looking.isClosed) break;
        // What is wrong with the records of one account keeps no other waiting.
        const ids = await noteDue(this.#database(accountId), accountId).catch((error) => {
          failed.push(error);
          return [];
        });
        if (ids.length === 0) continue;
        isMore = true;
        await this.#notify(accountId, ids);
      }
    }
    // Once until it is well again: while the database is away every attempt would say so.
    const [error] = failed;
    if (error && this.#isWell)
      this.#log.warn({ err: error }, 'events that fell due could not be told of for now');
    this.#isWell = failed.length === 0;
  }

  /** Resolves when the piece in hand is done: another process, or the next start, goes on after it. */
  close(): Promise<void> {
    return this.#looking.close();
  }

  #database(accountId?: number): Database {
    return this.#db.of({ account: accountId, until: performance.now() + piece.ms });
  }
}

async function accountsWithDue(db: Queryable): Promise<readonly number[]> {
  const rows = await db.query<{ account_id: number }>(
    sql`SELECT account_id FROM events WHERE ${isDue} GROUP BY account_id LIMIT ${maxAccounts}`,
    { reads: true },
  );
  return rows.map(({ account_id }) => account_id);
}

/**
 * Tells of some of an account's events that have fallen due, and marks those done that say so
 * (`auto_done`), as of their `scheduled_at`.
 * @returns their ids
 */
const noteDue = (db: Database, accountId: number): Promise<readonly number[]> =>
  inTransaction(operating({ db, now: new Date(), requestId: randomUUID() }, accountId), note);

async function note(ctx: UnitOfWork): Promise<readonly number[]> {
  const { accountId } = ctx.viewer;
  const changes = { before: null, after: auditedRow(events, 'due') };
  const doneAt = sql`${timestampJson(raw('written.done_at'))}::json`;
  const change = { before: { done_at: null }, after: sql`json_build_object('done_at', ${doneAt})` };
  const rows = await ctx.db.query<{ id: number }>(
    sql`WITH due AS (
        SELECT * FROM events WHERE account_id = ${accountId} AND ${isDue}
        ORDER BY scheduled_at, id LIMIT ${piece.events} FOR NO KEY UPDATE SKIP LOCKED
      ), written AS (
        UPDATE events SET due_at = scheduled_at, done_at = CASE WHEN auto_done THEN scheduled_at END,
          updated_at = ${clockWhere(sql`auto_done`, sql`updated_at`)}
        WHERE account_id = ${accountId} AND id = ANY(ARRAY(SELECT id FROM due)) RETURNING *
      ), audit AS (${auditEntries(
        ctx,
        entriesOf('event.due', 'due', changes, { at: clock }),
        entriesOf('event.update', 'written', change, { where: raw('written.auto_done') }),
      )})
      SELECT id FROM written`,
    adhoc,
  );
  return rows.map(({ id }) => id);
}
