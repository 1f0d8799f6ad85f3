/**
 * Before the first test: one PostgreSQL for the whole run, a migrated database that those of the
 * test files are copied from, and one certificate. Tests find them by `process.env`.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { generate } from 'selfsigned';
import { startEmbedded } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { running } from './running.ts';

const template = 'crm_template';

/** Where ids begin, so that no record passes for one of another table or of another account. */
const firstIds = {
  accounts: 1001,
  users: 2001,
  api_tokens: 3001,
  contacts: 4001,
  pipelines: 5001,
  stages: 6001,
  deals: 7001,
  deal_assignees: 8001,
  products: 9001,
  deal_products: 10_001,
  events: 11_001,
  audit_entries: 12_001,
};

export default async function setup(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'crm test '));
  const database = await startEmbedded(join(directory, 'database'));
  running.directory = directory;
  running.database = database;
  const url = new URL(database.url);
  await run(database.url, [
    // Nothing of a test run is worth surviving a power cut.
    'ALTER SYSTEM SET fsync = off',
    'ALTER SYSTEM SET synchronous_commit = off',
    'ALTER SYSTEM SET full_page_writes = off',
    'SELECT pg_reload_conf()',
    `CREATE DATABASE ${template}`,
  ]);
  url.pathname = `/${template}`;
  await migrate(url.href);
  await run(
    url.href,
    Object.entries(firstIds).map(([table, id]) => `ALTER SEQUENCE ${table}_id_seq RESTART ${id}`),
  );
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

async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
