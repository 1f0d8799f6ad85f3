import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { Seats } from './seats.ts';
import type { Statement } from './sql.ts';
import {
  FrequentNames,
  lastAsker,
  runStatement,
  StatementNames,
  statementName,
} from './statements.ts';
import { inTransaction } from './transaction.ts';

/** Whether a statement stays prepared on the server. */
export type Naming = boolean | 'when frequent';

export interface QueryOptions {
  readonly named?: Naming;
  readonly reads?: boolean;
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
   * @param options `named`: keep it prepared on the server under a name derived from its text; for
   *   texts of which there is a bounded number. `'when frequent'` is for texts that a client's
   *   query shapes. `reads`: it changes and locks nothing, so it need not wait behind what does.
   *   `shares`: it reads and is of the usual size; once it is named, it may share a connection with
   *   its like, outside of transactions.
   * @throws {Fault} UNAVAILABLE when the database cannot be reached, is overloaded or stopped the
   *   statement; {@link DatabaseError} for a broken constraint
   */
  query<Row>(statement: Statement, options?: QueryOptions): Promise<Row[]>;
}

export interface Database extends Queryable {
  /** Prisma's client, for what is not hot. Its errors are Prisma's: `classify` reads them. */
  readonly prisma: PrismaClient;
  /** Runs `work` in one transaction (read committed); any error rolls all of it back. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  /** The same database for the work of one account, which gets its share of the connections. */
  of(account: number): Database;
  close(): Promise<void>;
}

export interface DatabaseOptions extends PoolOptions {
  /** Told of the text of every statement before it is sent, BEGIN and COMMIT among them. */
  readonly onStatement?: (text: string) => void;
  /** Told of a connection that broke while nobody was using it. */
  readonly onConnectionError?: (error: Error) => void;
}

/**
 * One pool for Prisma's client and for our own SQL. Connects when the first statement comes, so
 * it succeeds while the database is down.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { onStatement, poolSize = 10, connectTimeoutMs = 3000 } = options;
  const frequent = new FrequentNames(100);
  const seats = new Seats(poolSize, connectTimeoutMs);
  const { pool, shared, mayShare } = openPool({
    ...options,
    poolSize,
    connectTimeoutMs,
    seats,
    asker: lastAsker,
    onPrepared: (name, ms) => frequent.took(name, ms),
  });
  const onError = options.onConnectionError ?? (() => undefined);
  const naming = { statementNameGenerator: statementName };
  const adapter = await new PrismaPg(pool, {
    onPoolError: onError,
    onConnectionError: onError,
    ...naming,
  }).connect();
  const pooled = { alone: adapter, shared: await new PrismaPg(shared, naming).connect() };
  const prisma = openPrisma(pool, onStatement);
  const names = new StatementNames(2000);
  const nameOf = (text: string, named: Naming) => {
    if (named === 'when frequent') return frequent.of(text);
    return named ? names.of(text) : { name: '', text };
  };
  const run = <Row>(
    on: SqlQueryable,
    { text, values }: Statement,
    { named = false }: QueryOptions = {},
  ) => {
    onStatement?.(text);
    return runStatement<Row>(on, nameOf(text, named), values);
  };
  const seated = async <Row>(
    account: number | undefined,
    statement: Statement,
    { named = false, shares = false, reads = shares }: QueryOptions = {},
  ): Promise<Row[]> => {
    // Composed SQL writes its text anew at each reading.
    const { text, values } = statement;
    const called = nameOf(text, named);
    if (shares && called.name && mayShare(account, called.name)) {
      seats.note(account);
      onStatement?.(text);
      return runStatement<Row>(pooled.shared, called, values, { account });
    }
    const taking = seats.take({ account, writes: !reads, kind: text });
    const waited = taking instanceof Promise;
    const seat = waited ? await taking : taking;
    try {
      onStatement?.(text);
      return await runStatement<Row>(pooled.alone, called, values, { account, waited });
    } finally {
      seat.release();
    }
  };
  const of = (account: number | undefined): Database => ({
    prisma,
    query: (statement, how) => seated(account, statement, how),
    transaction: async (work) => {
      const seat = await seats.take({ account, writes: true });
      try {
        return await inTransaction(adapter, onStatement, (inside) =>
          work({
            query: (statement, how) => inside((connection) => run(connection, statement, how)),
          }),
        );
      } finally {
        seat.release();
      }
    },
    of,
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  });
  return of(undefined);
}

function openPrisma(pool: Pool, onStatement: DatabaseOptions['onStatement']): PrismaClient {
  const names = new StatementNames(500);
  const adapter = new PrismaPg(pool, { statementNameGenerator: ({ sql }) => names.of(sql).name });
  if (!onStatement) return new PrismaClient({ adapter });
  const prisma = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', ({ query }) => onStatement(query));
  return prisma;
}
