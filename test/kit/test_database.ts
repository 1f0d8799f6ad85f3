import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { workers } from './citus.ts';
import { given } from './environment.ts';
import { lastAnswer, until } from './wait.ts';

/** A migrated, empty database of one test file, seen past the service. */
export interface TestDatabase {
  readonly url: string;
  /** Runs one statement: its rows, bigint as numbers. */
  query<Row extends pg.QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement in a transaction that stays open, with its locks, until it is let go. */
  hold(
    text: string,
    values?: readonly unknown[],
  ): Promise<(how?: 'ROLLBACK' | 'COMMIT') => Promise<void>>;
  /**
   * The texts of what the service has at work, and still has after `ms` (500 when not given):
   * PostgreSQL answers a client with its error first, and updates `pg_stat_activity` after that.
   */
  atWork(ms?: number): Promise<string[]>;
  /** Waits until so many statements wait for locks (one when not given): how many do. */
  blocked(count?: number): Promise<number>;
  close(): Promise<void>;
}

/** Copies the migrated template, which takes a few hundredths of a second. */
export const createDatabase = (): Promise<TestDatabase> => create(given('CRM_TEST_TEMPLATE'));

/** Without any table. */
export const createEmptyDatabase = (): Promise<TestDatabase> => create('template0');

/** Without any table, and of a locale that knows no letters but those of ASCII. */
export const createLatinDatabase = (): Promise<TestDatabase> =>
  create('template0', "LOCALE_PROVIDER libc LOCALE 'C'");

async function create(template: string, locale = ''): Promise<TestDatabase> {
  const url = new URL(given('CRM_TEST_DATABASE'));
  const name = `${given('CRM_TEST_TEMPLATE')}_${randomUUID().replaceAll('-', '')}`;
  // Where there are parts of tables, there are thousands of files, which are copied faster than written to the log.
  const strategy = workers.length > 0 ? 'STRATEGY file_copy' : '';
  await Promise.all(
    [url.href, ...workers].map((server) =>
      onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} ${locale} ${strategy}`),
    ),
  );
  url.pathname = `/${name}`;
  const database = openDatabase(url.href);
  if (workers.length === 0) return database;
  return { ...database, close: () => database.close().then(() => drop(name)) };
}

/** Citus has a process for each database, which goes on as long as that is there. */
async function drop(name: string): Promise<void> {
  await Promise.all(
    [given('CRM_TEST_DATABASE'), ...workers].map((server) =>
      onServer(server, `DROP DATABASE ${name} WITH (FORCE)`),
    ),
  );
}

async function onServer(server: string, text: string): Promise<void> {
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(text).finally(() => admin.end());
}

/** A database that is there already. */
export function openDatabase(url: string): TestDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    max: 4,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  /** Whose transactions have not been let go of, as where a test failed before. */
  const holding = new Set<pg.PoolClient>();
  // One that breaks while nobody uses it is opened anew.
  pool.on('error', () => undefined);
  const askForWork = async () => {
    const { rows } = await pool.query<{ query: string }>(
      `SELECT query FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'crm' AND state <> 'idle'`,
    );
    return rows.map(({ query }) => query);
  };
  return {
    url,
    query: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
      (await pool.query<Row>(text, [...values])).rows,
    atWork: (ms = 500) => lastAnswer(askForWork, (found) => found.length === 0, ms),
    blocked: async (count = 1) => {
      const askForBlocked = async () => {
        const { rows } = await pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rows.length;
      };
      return until(askForBlocked, (found) => found >= count, 5000);
    },
    hold: async (text, values = []) => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(text, [...values]);
      } catch (error) {
        client.release(true);
        throw error;
      }
      holding.add(client);
      return async (how = 'ROLLBACK') => {
        await client.query(how);
        holding.delete(client);
        client.release();
      };
    },
    close: async () => {
      for (const client of holding) client.release(true);
      await pool.end();
    },
  };
}
