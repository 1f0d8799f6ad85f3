/** What use cases know of the database. */
import type { PrismaClient } from '../generated/prisma/client.ts';
import type { RequestIdentity } from '../lib/tracing.ts';
import type { Snapshot } from './connections/snapshots.ts';
import type { Statement } from './sql/sql.ts';

/**
 * Whether a statement is kept prepared on the server: always for texts of which there is a bounded number,
 * only if frequent for those that a client's query shapes.
 */
export type Prepare = 'always' | 'ifFrequent' | 'never';

/**
 * What the scheduler knows of a statement. It gives connections to accounts in turns, by the
 * time that their statements take (`scheduler.ts`): whoever used less goes first, short work overtakes
 * long work of its account, and writers leave a connection to readers. Reads of one kind that arrive
 * together share connections, because waking PostgreSQL costs more than most reads do: the shortest always,
 * longer ones once more are under way than these are spread over (`dispatcher.ts`). Both go by what a statement of
 * the same text took before; what is new counts as short, and has a connection for itself until it was seen
 * to be. Prepared statements save their planning, but every connection keeps all of them, so texts without
 * bound are prepared only once they come again and again, and not while they often run for long
 * (`statement_names.ts`). A use case says no more than below.
 */
export interface QueryOptions {
  /** `'always'` by default. */
  readonly prepare?: Prepare;
  /** It changes and locks nothing, so it need not wait behind what does. */
  readonly reads?: boolean;
  /** It reads, returns no large answer, and may share a connection outside of transactions. */
  readonly shares?: boolean;
}

/** For a statement whose text hardly ever comes again, or which is best planned for its own values. */
export const adhoc: QueryOptions = { prepare: 'never' };

/** Whose call it is, and when it has to be over. */
export interface Caller {
  /** Whose share of the connections it uses; undefined for the service's own work. */
  readonly account: number | undefined;
  /**
   * On the clock of `performance`: by then PostgreSQL has stopped its work, and a second later all is
   * UNAVAILABLE that the network has not answered.
   */
  readonly until: number;
  /** Called with how many milliseconds each statement and transaction waited for a connection, where it had to. */
  readonly onQueued?: ((ms: number) => void) | undefined;
  /** That it works for, if any. */
  readonly request?: RequestIdentity | undefined;
}

/** Where statements go: the pool, or one transaction of it. */
export interface Queryable {
  /**
   * Runs one statement and returns its rows as objects: bigint and counts as numbers (a
   * RangeError beyond 2^53-1), numeric as text, json as text, timestamps as ISO 8601 text in UTC
   * (`2026-03-01T10:00:00.123+00:00`, without the fraction when it is zero), arrays as arrays.
   * @param statement parameterised SQL; a value may be a number, a text, a boolean, null, a Date,
   *   or an array of these
   * @throws {Fault} UNAVAILABLE when the database cannot be reached, is overloaded or stopped the
   *   statement; {@link DatabaseError} for a broken constraint
   */
  query<Row>(statement: Statement, options?: QueryOptions): Promise<Row[]>;
}

/** One open transaction. */
export interface Transaction extends Queryable {
  /**
   * The transaction in the guise of a database: each statement, and each transaction, has a savepoint of
   * its own. What fails is undone and leaves the rest as it is. When one loses a race for a lock, all that
   * follow are UNAVAILABLE, and the whole transaction fails as a conflict.
   */
  readonly asDatabase: Database;
}

export interface Database extends Queryable {
  /**
   * Prisma's client, for look-ups that commands make, which need not be fast. It is made when it is first
   * used, because it holds as much memory as all the rest of the database here. Its errors are Prisma's own,
   * which `classify` reads.
   */
  prisma(): PrismaClient;
  /** Runs `work` in one transaction (read committed); any error rolls all of it back. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The same database for work whose writes become one transaction, which the caller must end. */
  sharedTransaction(): SharedTransaction;
  /**
   * A handle outside the shared transaction: its writes are not rolled back with it. Undefined where there is
   * none.
   */
  readonly outsideTransaction?: Database;
  /**
   * Opens a snapshot (repeatable read) over a connection of its own, which no deadline ends; the caller must
   * close it.
   * @param signal ends the wait for it
   * @throws {Fault} as {@link Snapshots.open}
   */
  snapshot(signal: AbortSignal): Promise<Snapshot>;
  /** The same database for one call. */
  of(caller: Caller): Database;
  close(): Promise<void>;
}

/**
 * The same database for work whose writes are committed together, and together with one last statement. What
 * would otherwise stand alone, a statement or a transaction, has a savepoint: one that fails leaves those before
 * it as they are, and its caller may try it again. They run one after the other.
 */
export interface SharedTransaction extends Database {
  /**
   * Commits, with a last statement. When it throws, nothing was done, or it is not known whether it was.
   * @throws as `query` does
   */
  commit(last: Statement): Promise<void>;
  /** Undoes what is not committed; safe to call again. */
  rollback(): Promise<void>;
}
