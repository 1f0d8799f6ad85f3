import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { ample, timeLeft } from './deadline.ts';
import { classify } from './errors.ts';
import { type Joint, jointly } from './joint.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { type Seat, Seats } from './seats.ts';
import { type Snapshot, Snapshots } from './snapshots.ts';
import type { Statement } from './sql.ts';
import { FrequentNames, StatementNames } from './statements.ts';
import { OpenTransaction } from './transaction.ts';
import { Turn } from './turn.ts';
import { whole } from './whole.ts';

/**
 * Whether a statement is kept prepared on the server: true for texts of which there is a bounded
 * number, `'when frequent'` for those that a client's query shapes.
 */
export type Naming = boolean | 'when frequent';

/**
 * What the scheduler knows of a statement. It gives connections to accounts in turns, by the
 * time that their statements take (`seats.ts`): whoever used less goes first, short work overtakes
 * long work of its account, and writers leave a connection to readers. Reads of one kind that arrive
 * together share connections, because waking PostgreSQL costs more than most reads do: the shortest always,
 * longer ones once more are under way than these are spread over (`turn.ts`). Both go by what a statement of
 * the same text took before; what is new counts as short, and has a connection for itself until it was seen
 * to be. Prepared statements save their planning, but every connection keeps all of them, so texts without
 * bound are prepared only once they come again and again, and not while they often run for long
 * (`statements.ts`). A use case says no more than below.
 */
export interface QueryOptions {
  readonly named?: Naming;
  /** It changes and locks nothing, so it need not wait behind what does. */
  readonly reads?: boolean;
  /** It reads, returns no large answer, and may share a connection outside of transactions. */
  readonly shares?: boolean;
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
   * Prisma's client, for look-ups that commands make, which need not be fast. Its errors are
   * Prisma's own, which `classify` reads.
   */
  readonly prisma: PrismaClient;
  /** Runs `work` in one transaction (read committed); any error rolls all of it back. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** The same database for work whose writes become one transaction, which the caller must end. */
  joint(): Joint;
  /**
   * The database outside of a joint transaction, whose writes survive its rollback; undefined where
   * there is none.
   */
  readonly apart?: Database;
  /**
   * Opens a snapshot (repeatable read) over a connection of its own, which no deadline ends; the caller must
   * close it.
   * @param signal ends the wait for it
   * @throws {Fault} as {@link Snapshots.open}
   */
  snapshot(signal: AbortSignal): Promise<Snapshot>;
  /**
   * The same database for one call.
   * @param account whose share of the connections it uses; undefined for the service's own work
   * @param until when it has to be over, on the clock of `performance`: by then PostgreSQL has stopped
   *   its work, and a second later all is UNAVAILABLE that the network has not answered
   */
  of(account: number | undefined, until: number): Database;
  close(): Promise<void>;
}

export interface DatabaseOptions extends PoolOptions {
  /**
   * How many milliseconds the statements that share a connection may take together. Where more keep one of
   * PostgreSQL's processes at work, a busy machine takes the core from it in between, and those at the end
   * wait for that several times over. With too few, hardly any share under overload, where each takes longer,
   * and it is then that sharing helps most.
   */
  readonly worthWaitingMs?: number;
  /** How many they may take together to share one even while others are idle: nobody notices that wait. */
  readonly unnoticedMs?: number;
  /** How many connections longer ones are spread over before they share one; by default all. */
  readonly spreadOver?: number;
  /** Called with the text of every statement before it is sent, BEGIN and COMMIT among them. */
  readonly onStatement?: (text: string) => void;
  /** Called when a connection broke while nobody was using it. */
  readonly onConnectionError?: (error: Error) => void;
}

/**
 * One pool for Prisma's client and for our own SQL. Connects when the first statement comes, so
 * it succeeds while the database is down.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolSize = 10, connectTimeoutMs = 3000, statementTimeoutMs = 5000 } = options;
  const { worthWaitingMs = 10, unnoticedMs = 2, spreadOver = poolSize } = options;
  const { onStatement = () => undefined, onConnectionError = () => undefined } = options;
  const pool = openPool({ ...options, url, poolSize, connectTimeoutMs, statementTimeoutMs });
  pool.on('error', onConnectionError);
  const snapshots = new Snapshots({ ...options, connectTimeoutMs }, onStatement, onConnectionError);
  const seats = new Seats(poolSize, connectTimeoutMs);
  const frequent = new FrequentNames(100);
  const names = new StatementNames(2000);
  const left = timeLeft(statementTimeoutMs);
  const turn = new Turn(pool, seats, {
    timeLeft: left,
    worthWaitingMs,
    unnoticedMs,
    spreadOver,
    onStatement,
    onPrepared: (name, ms) => frequent.recordRun(name, ms),
  });
  const prisma = openPrisma(pool, options.onStatement);
  const nameOf = (text: string, named: Naming = false) => {
    if (named === 'when frequent') return frequent.of(text);
    return named ? names.of(text) : { name: '', text };
  };
  const query = <Row>(
    account: number | undefined,
    until: number,
    { text, values }: Statement,
    { named = false, shares = false, reads = shares }: QueryOptions = {},
  ): Promise<Row[]> => {
    const sent = { statement: nameOf(text, named), values, account, until };
    const { name } = sent.statement;
    return new Promise((resolve, reject) => {
      let seat: Seat | undefined;
      const succeed = (rows: unknown[]) => {
        seat?.release();
        // Only the caller knows what its own statement selects.
        resolve(rows as Row[]);
      };
      const fail = (error: unknown) => {
        seat?.release();
        reject(classify(error));
      };
      // What has little time left would take it from those that it shares a connection with.
      if (shares && name && turn.mayShare(account, name) && left(until) === ample) {
        seats.note(account);
        onStatement(text);
        return turn.shared(sent, succeed, fail);
      }
      const run = (taken: Seat, waited: boolean) => {
        seat = taken;
        onStatement(text);
        turn.alone(sent, waited, succeed, fail);
      };
      const taking = seats.take({ account, writes: !reads, kind: text, until });
      if (taking instanceof Promise) taking.then((taken) => run(taken, true), reject);
      else run(taking, false);
    });
  };
  const begin = async (account: number | undefined, until: number) => {
    const seat = await seats.take({ account, writes: true, until });
    try {
      const options = { onStatement, timeLeft: left, until };
      return [await OpenTransaction.open(pool, options), () => seat.release()] as const;
    } catch (error) {
      seat.release();
      throw error;
    }
  };
  const of = (account: number | undefined, until: number): Database => {
    const database: Database = {
      prisma,
      query: (statement, how) => query(account, until, statement, how),
      transaction: async (work) => {
        const [transaction, release] = await begin(account, until);
        try {
          const result = await whole(transaction, database, nameOf, work);
          await transaction.commit();
          return result;
        } catch (error) {
          await transaction.rollback();
          throw error;
        } finally {
          release();
        }
      },
      joint: () => jointly(database, { begin: () => begin(account, until), nameOf }),
      snapshot: (signal) => snapshots.open(account, signal),
      of,
      close: async () => {
        await prisma.$disconnect();
        await Promise.all([pool.end(), snapshots.close()]);
      },
    };
    return database;
  };
  return of(undefined, ample);
}

function openPrisma(pool: Pool, onStatement: DatabaseOptions['onStatement']): PrismaClient {
  const names = new StatementNames(500);
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => names.of(sql).name });
  if (!onStatement) return new PrismaClient({ adapter });
  const prisma = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', ({ query }) => onStatement(query));
  return prisma;
}
