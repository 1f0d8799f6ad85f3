/** The database as it is opened: connections, the scheduler over them, and Prisma's client. */
import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { openPool, type PoolOptions } from './connections/pool.ts';
import { Snapshots } from './connections/snapshots.ts';
import type { Database, Prepare, QueryOptions } from './database.ts';
import { classify } from './errors.ts';
import { ample, timeLeft } from './scheduler/deadline.ts';
import { Turn } from './scheduler/dispatcher.ts';
import { type Seat, Seats } from './scheduler/scheduler.ts';
import { FrequentNames, StatementNames } from './scheduler/statement_names.ts';
import type { Statement } from './sql/sql.ts';
import { whole } from './transactions/run_in_transaction.ts';
import { jointly } from './transactions/shared_transaction.ts';
import { OpenTransaction } from './transactions/transaction.ts';

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
  const nameOf = (text: string, how: Prepare = 'always') => {
    if (how === 'ifFrequent') return frequent.of(text);
    return how === 'always' ? names.of(text) : { name: '', text };
  };
  const query = <Row>(
    account: number | undefined,
    until: number,
    { text, values }: Statement,
    { prepare, shares = false, reads = shares }: QueryOptions = {},
  ): Promise<Row[]> => {
    const sent = { statement: nameOf(text, prepare), values, account, until };
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
