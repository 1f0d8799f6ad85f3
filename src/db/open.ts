/** The database as it is opened: connections, the scheduler over them, and Prisma's client. */
import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { openPool, type PoolOptions } from './connections/pool.ts';
import { Snapshots } from './connections/snapshots.ts';
import type { Caller, Database, Prepare, QueryOptions } from './database.ts';
import { classify } from './errors.ts';
import type { Lease } from './scheduler/account_queue.ts';
import { noDeadline, remainingMs } from './scheduler/deadline.ts';
import { StatementDispatcher } from './scheduler/dispatcher.ts';
import { ConnectionScheduler } from './scheduler/scheduler.ts';
import { FrequentNames, StatementNames, unprepared } from './scheduler/statement_names.ts';
import { type SlowStatement, StatementObserver } from './scheduler/statement_observer.ts';
import type { Statement } from './sql/sql.ts';
import { shareTransaction } from './transactions/shared_transaction.ts';
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
  /** Called with each statement that took more than a second. */
  readonly onSlow?: (slow: SlowStatement) => void;
}

/** What a pool and its statements do, for operators. */
export interface PoolFigures {
  readonly pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>;
  readonly scheduler: Pick<ConnectionScheduler, 'waiting' | 'timeouts' | 'waits'>;
  readonly records: StatementObserver['records'];
  readonly accounts: StatementObserver['accounts'];
  /** Connections at most. */
  readonly poolSize: number;
}

/** A database, and what is known of its connections. */
export interface OpenDatabase extends Database {
  readonly figures: PoolFigures;
}

/**
 * One pool for Prisma's client and for our own SQL. Connects when the first statement comes, so
 * it succeeds while the database is down.
 */
export async function openDatabase(options: DatabaseOptions): Promise<OpenDatabase> {
  const { url, poolSize = 10, connectTimeoutMs = 3000, statementTimeoutMs = 5000 } = options;
  const { worthWaitingMs = 10, unnoticedMs = 2, spreadOver = poolSize } = options;
  const { onStatement = () => undefined, onConnectionError = () => undefined } = options;
  const observer = new StatementObserver(options.onSlow ?? (() => undefined));
  const pool = openPool({ ...options, url, poolSize, connectTimeoutMs, statementTimeoutMs });
  pool.on('error', onConnectionError);
  const snapshots = new Snapshots({ ...options, connectTimeoutMs }, onStatement, onConnectionError);
  const scheduler = new ConnectionScheduler(poolSize, connectTimeoutMs);
  const frequent = new FrequentNames(100);
  const names = new StatementNames(2000);
  const remaining = remainingMs(statementTimeoutMs);
  const dispatcher = new StatementDispatcher(pool, scheduler, {
    remainingMs: remaining,
    worthWaitingMs,
    unnoticedMs,
    spreadOver,
    onStatement,
    onPrepared: (name, ms) => frequent.recordRun(name, ms),
    observer,
  });
  let client: PrismaClient | undefined;
  const prisma = () => (client ??= openPrisma(pool, options.onStatement));
  const prepare = (text: string, how: Prepare = 'always') => {
    if (how === 'ifFrequent') return frequent.of(text);
    return how === 'always' ? names.of(text) : unprepared(text);
  };
  const query = <Row>(
    { account, until, onQueued, request }: Caller,
    { text, values }: Statement,
    { prepare: how, shares = false, reads = shares }: QueryOptions = {},
  ): Promise<Row[]> => {
    const statement = prepare(text, how);
    return new Promise((resolve, reject) => {
      let lease: Lease | undefined;
      const pending = {
        statement,
        values,
        account,
        request,
        until,
        resolve: (rows: unknown[]) => {
          lease?.release();
          // Only the caller knows what its own statement selects.
          resolve(rows as Row[]);
        },
        reject: (error: unknown) => {
          lease?.release();
          reject(classify(error));
        },
      };
      const { name } = statement;
      // What has little time left would take it from those that it shares a connection with.
      if (shares && name && dispatcher.mayShare(account, name) && remaining(until) === noDeadline) {
        scheduler.notePresence(account);
        onStatement(text);
        return dispatcher.sendPipelined(pending);
      }
      const run = (granted: Lease, hasWaited: boolean) => {
        lease = granted;
        onStatement(text);
        dispatcher.sendExclusive(pending, hasWaited);
      };
      const acquiring = scheduler.acquire({ account, writes: !reads, kind: text, until });
      if (acquiring instanceof Promise)
        noteWait(acquiring, onQueued).then((granted) => run(granted, true), reject);
      else run(acquiring, false);
    });
  };
  const begin = async (database: Database, { account, until, onQueued, request }: Caller) => {
    const lease = await noteWait(scheduler.acquire({ account, writes: true, until }), onQueued);
    const limits = { onStatement, remainingMs: remaining, until };
    const of = { account, request, database, observer };
    return OpenTransaction.open(pool, { ...limits, ...of, lease, prepare });
  };
  const of: Database['of'] = (caller) => {
    const database: Database = {
      prisma,
      query: (statement, how) => query(caller, statement, how),
      transaction: async (work) => {
        const transaction = await begin(database, caller);
        try {
          const result = await transaction.run(work);
          await transaction.commit();
          return result;
        } catch (error) {
          await transaction.rollback();
          throw error;
        }
      },
      sharedTransaction: () => shareTransaction(database, () => begin(database, caller)),
      snapshot: (signal) => snapshots.open(caller.account, signal),
      of,
      close: async () => {
        await client?.$disconnect();
        await Promise.all([pool.end(), snapshots.close()]);
      },
    };
    return database;
  };
  const { records, accounts } = observer;
  const figures = { pool, scheduler, records, accounts, poolSize };
  return Object.assign(of({ account: undefined, until: noDeadline }), { figures });
}

/** Tells how long somebody waited for a lease, if anybody wants to know. */
async function noteWait(
  lease: Lease | Promise<Lease>,
  onQueued: Caller['onQueued'],
): Promise<Lease> {
  if (!(lease instanceof Promise) || !onQueued) return lease;
  const began = performance.now();
  const granted = await lease;
  onQueued(performance.now() - began);
  return granted;
}

function openPrisma(pool: Pool, onStatement: DatabaseOptions['onStatement']): PrismaClient {
  const names = new StatementNames(500);
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => names.of(sql).name });
  if (!onStatement) return new PrismaClient({ adapter });
  const prisma = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', ({ query }) => onStatement(query));
  return prisma;
}
