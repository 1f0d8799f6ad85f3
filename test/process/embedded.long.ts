import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import pg from 'pg';
import { findRunning, megabytesOfPages, startEmbedded } from '../../src/postgres/embedded.ts';
import { boundLog } from '../../src/postgres/server_log.ts';
import { blocksOf } from '../kit/guides.ts';
import { until } from '../kit/wait.ts';

// Whole processes are started, on machines that may be busy.
jest.setTimeout(30_000);

const run = promisify(execFile);

const built = new URL('../../dist/modules/postgres/embedded.js', import.meta.url).href;

const builtPort = new URL('../../dist/modules/postgres/free_port.js', import.meta.url).href;

let directory: string;
let dataDir: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm embedded '));
  dataDir = join(directory, 'data with a space');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // A statement may end its own session.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
}

/** A process that started the database and waits. */
async function owner(): Promise<ChildProcess> {
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(built)});
    await startEmbedded(process.argv[1]);
    process.stdout.write('started');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir]);
  await once(child.stdout, 'data');
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const postmaster = async () =>
  Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);

test('it is created, folds case by Unicode, and keeps what it holds', async () => {
  const first = await startEmbedded(dataDir);
  expect(await findRunning(dataDir)).toBe(first.url);
  expect(await ask(first.url, `SELECT 'É' ILIKE 'é', current_setting('server_encoding')`)).toEqual([
    [true, 'UTF8'],
  ]);
  await ask(first.url, 'CREATE EXTENSION pg_trgm');
  expect(await ask(first.url, `SELECT cardinality(show_trgm('гончарова')) > 1`)).toEqual([[true]]);
  expect(await ask(first.url, 'SHOW temp_file_limit')).toEqual([['1GB']]);
  await ask(first.url, 'CREATE TABLE kept AS SELECT 1 AS one');
  await first.stop();
  expect(await findRunning(dataDir)).toBeUndefined();

  const second = await startEmbedded(dataDir);
  expect(await ask(second.url, 'SELECT * FROM kept')).toEqual([[1]]);
  await second.stop();
  expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600);
});

test('it is reached by the command that the guide shows, from the folder that holds it', async () => {
  const embedded = await startEmbedded(dataDir);
  await symlink(dataDir, join(directory, 'data'));
  const [command = ''] = blocksOf('src/docs/how-to/alerts.md', 'sh');
  const { stdout } = await run('sh', ['-ec', `psql() { printf %s "$1"; }\n${command}`], {
    cwd: directory,
  });
  expect(await ask(stdout, 'SELECT current_user::text, current_database()::text')).toEqual([
    ['crm', 'crm'],
  ]);
  await embedded.stop();
});

test('it has the settings that the guide to erasing wants of any PostgreSQL', async () => {
  const [shown = ''] = blocksOf('src/docs/how-to/erase-a-person.md', 'ini');
  const settings = [...shown.matchAll(/^(\w+) = (\w+)$/gm)].map(([, name, value]) => ({
    name,
    value,
  }));
  expect(settings).toHaveLength(3);
  const embedded = await startEmbedded(dataDir);
  for (const { name, value } of settings) {
    expect([name, await ask(embedded.url, `SHOW ${name}`)]).toEqual([name, [[value]]]);
  }
  await embedded.stop();
});

test("it keeps pages in an eighth of the machine's memory, within limits", async () => {
  const gigabyte = 1024 ** 3;
  expect([0.5, 1, 4, 8, 64].map((gigabytes) => megabytesOfPages(gigabytes * gigabyte))).toEqual([
    128, 128, 512, 1024, 1024,
  ]);
  const embedded = await startEmbedded(dataDir);
  expect(
    await ask(embedded.url, `SELECT pg_size_bytes(current_setting('shared_buffers'))::float8`),
  ).toEqual([
    [megabytesOfPages(Math.min(totalmem(), process.constrainedMemory() || Infinity)) * 1024 ** 2],
  ]);
  await embedded.stop();
});

test('several processes share it, and the last to stop stops it', async () => {
  const other = await owner();
  const running = await findRunning(dataDir);
  expect(running).toBeDefined();
  const ours = await startEmbedded(dataDir);
  expect(ours.url).toBe(running);
  await ours.stop();
  expect(await findRunning(dataDir)).toBe(ours.url);
  await kill(other);
  const last = await startEmbedded(dataDir);
  await last.stop();
  expect(await findRunning(dataDir)).toBeUndefined();
});

test('one that a killed process left running is taken over', async () => {
  await kill(await owner());
  const running = await findRunning(dataDir);
  expect(running).toBeDefined();
  const ours = await startEmbedded(dataDir);
  expect(ours.url).toBe(running);
  await ours.stop();
});

test('one that was killed itself recovers, though its number belongs to another process', async () => {
  const other = await owner();
  process.kill(await postmaster(), 'SIGKILL');
  await kill(other);
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  await writeFile(file, (await readFile(file, 'utf8')).replace(/^\d+/, String(process.pid)));
  expect(await findRunning(dataDir)).toBeUndefined();
  const ours = await startEmbedded(dataDir);
  expect(await ask(ours.url, 'SELECT * FROM kept')).toEqual([[1]]);
  await ours.stop();
});

test('its log names nothing that clients sent, whatever they are refused for', async () => {
  const log = join(dataDir, 'postgres.log');
  await writeFile(log, 'zebedee, of a version that logged values');
  const embedded = await startEmbedded(dataDir);
  const statements = [
    "CREATE TABLE person (email varchar(20) UNIQUE CHECK (email <> 'zebedee none'))",
    "INSERT INTO person VALUES ('zebedee one')",
    "INSERT INTO person VALUES ('zebedee one')",
    "INSERT INTO person VALUES ('zebedee none')",
    "INSERT INTO person VALUES ('zebedee is too long a name')",
    "SELECT 'zebedee'::bigint",
    "SELECT 'zebedee'::json",
    "SELECT now() AT TIME ZONE 'zebedee'",
    'SELECT zebedee',
    "DO $$ BEGIN RAISE WARNING 'zebedee'; END $$",
  ];
  for (const text of statements) await ask(embedded.url, text).catch(() => undefined);
  const end = "SELECT 'zebedee', pg_terminate_backend(pg_backend_pid())";
  await ask(embedded.url, end).catch(() => undefined);
  await embedded.stop();
  const lines = await readFile(log, 'utf8');
  expect(lines).toContain('terminating connection due to administrator command');
  expect(lines).not.toContain('zebedee');
});

test('its log is bounded, and goes on', async () => {
  const log = join(dataDir, 'postgres.log');
  const embedded = await startEmbedded(dataDir);
  const stop = boundLog(log, { max: 2000, kept: 100, everyMs: 10 });
  await appendFile(log, `${'x'.repeat(5000)} end\n`);
  const isShort = async () => (await stat(log)).size;
  expect(await until(isShort, (size) => size < 2000, 5000)).toBe(0);
  stop();
  expect(await readFile(`${log}.old`, 'utf8')).toBe(`${'x'.repeat(95)} end\n`);
  await embedded.stop();
  // PostgreSQL writes its last line once it has removed the file by which it is seen to run.
  const text = () => readFile(log, 'utf8');
  const whole = await until(text, (lines) => lines.endsWith('is shut down\n'), 5000);
  expect(whole).toMatch(/^[ -~\n]*database system is shut down\n$/);
});

test('a worker that looks for a port is not taken to listen', async () => {
  const script = `
    import cluster from 'node:cluster';
    import { writeFileSync } from 'node:fs';
    const file = process.argv[1];
    writeFileSync(file, "import(process.argv[2]).then((it) => it.freePort()).then(() => process.exit())");
    cluster.setupPrimary({ exec: file, args: [process.argv[2]], execArgv: [] });
    const worker = cluster.fork();
    worker.on('listening', () => process.stdout.write('listening '));
    worker.on('exit', (code) => process.stdout.write('exit ' + code));`;
  const file = join(directory, 'worker.cjs');
  const words = ['--input-type=module', '-e', script, file, builtPort];
  const child = spawn(process.execPath, words);
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  await once(child, 'close');
  expect(output).toBe('exit 0');
});

test('one whose starter was killed before it made the database gets it', async () => {
  const starter = await owner();
  const url = await findRunning(dataDir);
  await ask(String(url).replace(/crm$/, 'postgres'), 'DROP DATABASE crm');
  await kill(starter);
  const server = await startEmbedded(dataDir);
  expect(await ask(server.url, 'SELECT 1')).toEqual([[1]]);
  await server.stop();
});
