/**
 * Before the first test: one PostgreSQL for the whole run (that of TEST_DATABASE_URL when set), a
 * migrated database that those of the test files are copied from, and one certificate. Tests find
 * them by `process.env`.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { generate } from 'selfsigned';
import type * as migrating from '../../src/db/migrations/migrate.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { workers } from './citus.ts';
import { distributeTemplate, join as joinServers } from './distributed.ts';
import { type Running, running } from './running.ts';
import { shipped } from './shipped.ts';

// Unlike any other on the server, which may be one that is used for other things too.
const template = `crm_test_${randomBytes(4).toString('hex')}`;

/** Where ids begin, so that no record passes for one of another table or of another account. */
const firstIds = {
  accounts: 100_001,
  users: 200_001,
  api_tokens: 300_001,
  contacts: 400_001,
  pipelines: 500_001,
  stages: 600_001,
  deals: 700_001,
  deal_assignees: 800_001,
  products: 900_001,
  deal_products: 1_000_001,
  events: 1_100_001,
  audit_entries: 1_200_001,
  sessions: 1_300_001,
  sign_in_codes: 1_400_001,
};

export default async function setup(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'crm test '));
  running.directory = directory;
  const database = await (process.env.TEST_DATABASE_URL
    ? outside(process.env.TEST_DATABASE_URL)
    : embedded(join(directory, 'database')));
  running.database = database;
  const url = new URL(database.url);
  for (const server of [database.url, ...workers]) {
    await run(server, [`CREATE DATABASE ${template}`]);
  }
  url.pathname = `/${template}`;
  if (workers.length > 0) await joinServers(url.href);
  // Its engine can be loaded once in a process, which may be that of the tests, too.
  const { migrate } = await shipped<typeof migrating>('db/migrations/migrate.js');
  await migrate(url.href);
  await run(
    url.href,
    Object.entries(firstIds).map(([table, id]) => `ALTER SEQUENCE ${table}_id_seq RESTART ${id}`),
  );
  if (workers.length > 0) await distributeTemplate(url.href);
  const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
  });
  const files = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') };
  await writeFile(files.cert, certificate.cert);
  await writeFile(files.key, certificate.private);
  Object.assign(process.env, {
    CRM_TEST_DATABASE: database.url,
    CRM_TEST_TEMPLATE: template,
    CRM_TEST_DIRECTORY: directory,
    CRM_TEST_CERT: files.cert,
    CRM_TEST_KEY: files.key,
  });
}

async function embedded(directory: string): Promise<Running> {
  const first = await startEmbedded(directory);
  await run(first.url, [
    // Nothing of a test run is worth surviving a power cut.
    'ALTER SYSTEM SET fsync = off',
    'ALTER SYSTEM SET synchronous_commit = off',
    'ALTER SYSTEM SET full_page_writes = off',
    // The tests that have one wait for it.
    "ALTER SYSTEM SET deadlock_timeout = '100ms'",
    // Each worker may have several services at once. This is read at the start alone.
    'ALTER SYSTEM SET max_connections = 200',
  ]);
  await first.stop();
  return startEmbedded(directory);
}

/** A server that runs already; what the tests make there goes with them. */
async function outside(url: string): Promise<Running> {
  return {
    url,
    stop: async () => {
      for (const server of [url, ...workers]) {
        const names = await run(server, [
          `SELECT datname FROM pg_database WHERE starts_with(datname, '${template}')`,
        ]);
        await run(
          server,
          names.map(({ datname }) => `DROP DATABASE "${datname}" WITH (FORCE)`),
        );
      }
    },
  };
}

/** Runs statements one by one; the rows of the last. */
async function run(url: string, statements: readonly string[]) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: Readonly<Record<string, unknown>>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
