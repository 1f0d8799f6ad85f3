/** The database that is measured on: made and filled for one run, or kept for the next. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keysOf } from '../../src/auth/keys.ts';
import { issueToken } from '../../src/auth/tokens.ts';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { raw } from '../../src/db/sql/sql.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { type Cores, moveTo } from './cores.ts';
import { Generator } from './generator.ts';
import { account, type Operation } from './operations/operation.ts';
import { runAll, seedOf } from './seed.ts';

const secret = 'a secret of the benchmark that is long enough';

export interface Bench {
  readonly db: Database;
  /** The account that is asked for. */
  readonly account: number;
  /** Of an admin of the account. */
  readonly token: string;
  /** What a service on this database is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** The process whose children do the database's work. */
  readonly postmaster: number;
  /** Where PostgreSQL writes what it logs. */
  readonly log: string;
  readonly contacts: number;
  /** Where the service may log to. */
  readonly serviceLog: string;
  readonly generator: Generator;
  /** Where each has cores of its own. */
  readonly cores: Cores | undefined;
}

/**
 * Runs `work` on a filled database. With BENCH_DIR it is filled there once and kept, and what a run
 * has created is taken away before the next.
 * @param contacts how many the database is to have, over all accounts
 * @param cores for PostgreSQL and the load; `work` gives what it measures its own
 */
export async function onFilledDatabase(
  contacts: number,
  work: (bench: Bench) => Promise<void>,
  cores?: Cores,
): Promise<void> {
  const kept = process.env.BENCH_DIR;
  const folder = kept ? resolve(kept, String(contacts)) : mkdtempSync(join(tmpdir(), 'crm bench '));
  mkdirSync(folder, { recursive: true });
  if (cores) moveTo(cores.postgres);
  const embedded = await startEmbedded(folder);
  if (cores) moveTo(cores.load);
  const db = await openDatabase({ url: embedded.url, statementTimeoutMs: 600_000 });
  const generator = new Generator();
  try {
    const filled = join(folder, 'filled');
    if (!existsSync(filled)) {
      await migrate(embedded.url);
      console.error(`filling a database with ${contacts} contacts`);
      await runAll(db, seedOf(contacts).statements);
      writeFileSync(filled, '');
    } else {
      await runAll(db, seedOf(contacts).cleaning);
    }
    await work({
      db,
      contacts,
      account,
      token: await createToken(db, account),
      env: environment(embedded.url, folder),
      postmaster: await postmasterPid(db),
      log: join(folder, 'postgres.log'),
      serviceLog: join(folder, 'service.log'),
      generator,
      cores,
    });
  } finally {
    generator.stop();
    await db.close();
    await embedded.stop();
    if (!kept) rmSync(folder, { recursive: true, force: true });
  }
}

const environment = (url: string, folder: string) => ({
  DATABASE_URL: url,
  DATA_DIR: folder,
  JWT_SECRET: secret,
  RATE_LIMIT: 'off',
  // Where the benchmark has a receiver.
  WEBHOOK_ALLOW: '127.0.0.1',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  WORKERS: '1',
});

/** A token of an admin, who has the number of the account. */
async function createToken(db: Database, of: number): Promise<string> {
  const { token } = await issueToken(db, {
    accountId: of,
    userId: of,
    name: 'bench',
    scopes: ['*'],
    ttl: null,
    keys: keysOf([secret]),
    now: new Date(),
  });
  return token;
}

/** The same for an operation, once the database has what it needs. */
export async function benchFor(
  bench: Bench,
  { prepare, account: of = account }: Operation,
): Promise<Bench> {
  await prepare?.(bench.db);
  return of === bench.account
    ? bench
    : { ...bench, account: of, token: await createToken(bench.db, of) };
}

async function postmasterPid(db: Database): Promise<number> {
  const [row] = await db.query<{ pid: number }>(
    raw("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid"),
  );
  if (!row) throw new Error('PostgreSQL does not tell its process');
  return row.pid;
}
