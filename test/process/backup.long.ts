/** What is backed up is what is restored, whole and to the letter. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { backUp } from '../../src/backup/back_up.ts';
import { type Manifest, readBackup } from '../../src/backup/manifest.ts';
import { restore } from '../../src/backup/restore.ts';
import { migrate, migrationStatus, ownMigrations } from '../../src/db/migrations/migrate.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { createDatabase, createEmptyDatabase, type TestDatabase } from '../kit/database.ts';
import { demo } from '../kit/process.ts';
import { Rest } from '../kit/rest.ts';
import { startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { world } from '../kit/world.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

const before = 'the secret that was in use before it';
const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let parent: string;
let place: string;
let empty: TestDatabase;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'crm backup '));
  place = join(parent, 'backup');
  empty = await createEmptyDatabase();
});
afterEach(async () => {
  await empty.close();
  await rm(parent, { recursive: true });
});

const restoreTo = async ({ url }: TestDatabase) => restore(url, place, await readBackup(place));

/** What two backups have in common if they are of the same content. */
const contentOf = ({ tables, sequences, migrations }: Manifest) => ({
  tables,
  sequences,
  migrations,
});

/** Begins a backup that has its snapshot and waits for a table: lets it go on. */
async function begin(database: TestDatabase) {
  const letGo = await database.hold('LOCK TABLE stages IN ACCESS EXCLUSIVE MODE');
  const running = backUp(database.url, place, ['a secret', before]);
  // Its failure is the test's own affair, and may come while that waits.
  running.catch(() => undefined);
  const waiting = () =>
    database.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'crm backup'
         AND wait_event_type = 'Lock' AND datname = current_database()`,
    );
  expect(await until(waiting, (found) => found.length === 1, 5000)).toHaveLength(1);
  return { running, letGo };
}

test('a database in use is backed up as it is at one moment, and goes on where that was', async () => {
  const service = await startService();
  const w = await world(service);
  const custom_attributes = { 'tab\t': 'line\n', back: '\\N \\.', quote: '"\'', é: [null, 1e21] };
  const { id } = await w.contact({ full_name: 'Ana \\ "Lima"', custom_attributes });
  await w.dealProduct({ deal_id: (await w.deal({ contact_id: id })).id });
  const before = await w.fetchContact(id);
  const { running, letGo } = await begin(service.database);
  await service.database.query("UPDATE contacts SET full_name = 'Later'");
  await letGo();
  const manifest = await running;
  await service.close();
  expect(Object.fromEntries(manifest.tables.map(({ name, rows }) => [name, rows]))).toMatchObject({
    accounts: 1,
    contacts: 1,
    deals: 1,
    deal_products: 1,
    api_tokens: 2,
  });

  await restoreTo(empty);
  const again = await backUp(empty.url, join(parent, 'again'), []);
  expect(contentOf(again)).toEqual(contentOf(manifest));
  const restored = await startService({ database: empty });
  const rest = new Rest(restored.client, w.accountId, w.admin.token);
  expect(await rest.get(`/contacts/${id}`)).toAnswer(200, before);
  expect((await rest.post<{ id: number }>('/contacts')).body.id).toBe(id + 1);
  await restored.close();
});

test('a backup is there whole or not at all, and for its owner alone', async () => {
  const database = await createDatabase();
  const broken = await begin(database);
  await database.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE application_name = 'crm backup' AND datname = current_database()`,
  );
  await expect(broken.running).rejects.toThrow();
  await broken.letGo();
  expect(await readdir(parent)).toEqual([]);

  await backUp(database.url, place, ['a secret', before]);
  const files = await readdir(place);
  expect(files).toEqual(
    expect.arrayContaining(['JWT_SECRET', 'JWT_SECRET_PREVIOUS', 'backup.json', 'deals.copy.gz']),
  );
  const mode = async (file: string) => (await stat(join(place, file))).mode & 0o777;
  expect(await mode('.')).toBe(0o700);
  for (const file of files) expect([file, await mode(file)]).toEqual([file, 0o600]);
  await expect(backUp(database.url, place, [])).rejects.toThrow('name a new directory');
  expect(await readdir(parent)).toEqual(['backup']);
  await database.close();
});

test('what is no whole backup of a known version, or would mix with something, is refused', async () => {
  const { database } = await demo();
  await backUp(database.url, place, []);
  await expect(restoreTo(database)).rejects.toThrow(/^The database is not empty: it has rows in /);

  const manifest = await readBackup(place);
  const strange = { name: '99990000000000_next', checksum: 'x' };
  const newer = { ...manifest, migrations: [...manifest.migrations, strange] };
  await expect(restore(empty.url, place, newer)).rejects.toThrow(/does not know .*9999.*_next$/);
  const older = { ...manifest, migrations: manifest.migrations.slice(0, -1) };
  const migrated = await createDatabase();
  await expect(restore(migrated.url, place, older)).rejects.toThrow('restore into a new one');
  const [contacts = { rows: 0 }] = manifest.tables.filter(({ name }) => name === 'contacts');
  contacts.rows += 1;
  await expect(restore(migrated.url, place, manifest)).rejects.toThrow(/^contacts has \d+ rows/);
  expect(await migrated.query('SELECT FROM accounts')).toEqual([]);
  await migrated.close();

  await writeFile(join(place, 'deals.copy.gz'), 'half');
  await expect(readBackup(place)).rejects.toThrow(/^The backup is damaged: .*deals/);
  await rm(join(place, 'backup.json'));
  await expect(readBackup(place)).rejects.toThrow(/^There is no backup in /);
  await database.close();
});

test('a backup of an older version becomes one of this version', async () => {
  const [last, ...rest] = (await ownMigrations()).map(({ name }) => name).reverse();
  await migrate(empty.url, { only: rest });
  await empty.query("INSERT INTO accounts (name) VALUES ('Acme')");
  await backUp(empty.url, place, []);
  const fresh = await createEmptyDatabase();
  await restoreTo(fresh);
  expect(await fresh.query('SELECT name FROM accounts')).toEqual([{ name: 'Acme' }]);
  expect(await migrationStatus(fresh.url)).toMatchObject({ current: true });
  expect((await migrationStatus(empty.url)).pending).toEqual([last]);
  await fresh.close();
});

/** What a command prints, on the database of a data directory or of an URL. */
async function crm(args: readonly string[], env: NodeJS.ProcessEnv): Promise<unknown> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...process.env, DATABASE_URL: '', JWT_SECRET: '', ...env },
  });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (err !== '') throw new Error(err);
  return JSON.parse(out);
}

test('into an embedded database, from it while it runs, and from it to a server, with its secret', async () => {
  const { database } = await demo();
  await backUp(database.url, place, ['the secret of the first', before]);
  const DATA_DIR = join(parent, 'data with a space');
  expect(await crm(['restore', place], { DATA_DIR })).toMatchObject({
    rows: { accounts: 1 },
    tokens_accepted: true,
  });
  expect(await readFile(join(DATA_DIR, 'JWT_SECRET'), 'utf8')).toBe('the secret of the first\n');
  expect(await readFile(join(DATA_DIR, 'JWT_SECRET_PREVIOUS'), 'utf8')).toBe(`${before}\n`);

  const { url, stop } = await startEmbedded(DATA_DIR);
  const second = join(parent, 'second');
  expect(await crm(['backup', second], { DATA_DIR })).toMatchObject({ holds_secret: true });
  await stop();
  expect(url).toContain('127.0.0.1');
  const server = { DATABASE_URL: empty.url, JWT_SECRET: 'another secret, which is of 32 bytes' };
  expect(await crm(['restore', second], { DATA_DIR, ...server })).toMatchObject({
    rows: { accounts: 1 },
    tokens_accepted: false,
  });
  const [one, other] = [await readBackup(place), await readBackup(second)];
  expect(contentOf(other)).toEqual(contentOf(one));
  await database.close();
});

/** What a manifest may say that no backup of this service does, and what is told of it. */
const hostile: readonly [string, (manifest: Manifest) => unknown, RegExp][] = [
  [
    'a table elsewhere',
    (of) => renamed(of, '../../etc/passwd'),
    /tables\.0\.name of .* is not valid$/,
  ],
  ['a table of the system', (of) => renamed(of, 'pg_authid'), /unknown table pg_authid$/],
  ['a table with SQL in its name', (of) => renamed(of, 'a"; DROP TABLE x; --'), /tables\.0\.name/],
  ['the history of migrations', (of) => renamed(of, '_prisma_migrations'), /tables\.0\.name/],
  ['a table twice', (of) => ({ ...of, tables: [...of.tables, ...of.tables] }), /: tables of /],
  ['an unknown column', (of) => withColumns(of, ['ctid']), /unknown column \w+\.ctid$/],
  ['SQL for a column', (of) => withColumns(of, ["id\") FROM PROGRAM 'x'; --"]), /columns\.0 of/],
  ['a column twice', (of) => withColumns(of, ['id', 'id']), /tables\.0\.columns of/],
  [
    'rows below zero',
    (of) => ({ ...of, tables: of.tables.map((one) => ({ ...one, rows: -1 })) }),
    /rows/,
  ],
  [
    'an unknown sequence',
    (of) => ({ ...of, sequences: [at('other', '1')] }),
    /unknown sequence other$/,
  ],
  ['a sequence that begins nowhere', (of) => ({ ...of, sequences: [at('x', "1'")] }), /last_value/],
  ['no object', () => [], /form that is not known/],
  [
    '16 MiB of text',
    (of) => ({ ...of, postgresql: 'x'.repeat(16 * 1024 * 1024) }),
    /more than 16 MiB/,
  ],
];

const at = (name: string, last_value: string) => ({ name, last_value, is_called: true });
const renamed = (of: Manifest, name: string) => ({
  ...of,
  tables: of.tables.map((one, place) => (place === 0 ? { ...one, name } : one)),
});
const withColumns = (of: Manifest, columns: readonly string[]) => ({
  ...of,
  tables: of.tables.map((one, place) => (place === 0 ? { ...one, columns } : one)),
});

test('a manifest that names what there is not is refused, and becomes part of no statement', async () => {
  const database = await createDatabase();
  const manifest = await backUp(database.url, place, ['a secret']);
  const [first] = manifest.tables;
  const file = join(place, 'backup.json');
  // Files whose names a hostile manifest could use.
  const data = await readFile(join(place, `${first?.name}.copy.gz`));
  await writeFile(join(place, 'pg_authid.copy.gz'), data);
  for (const [name, change, message] of hostile) {
    await writeFile(file, JSON.stringify(change(manifest)));
    const restored = restoreTo(empty).then(
      () => 'restored',
      ({ message }: Error) => message,
    );
    expect([name, await restored]).toEqual([name, expect.stringMatching(message)]);
  }
  await writeFile(file, '{"format": 1,');
  await expect(restoreTo(empty)).rejects.toThrow(/of a form that is not known$/);
  await writeFile(file, JSON.stringify(manifest));
  await restoreTo(empty);
  await database.close();
});
