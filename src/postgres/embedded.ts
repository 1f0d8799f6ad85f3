import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { hasCode, identityOf, livesStill, withProcessLock } from '../lib/process_lock.ts';
import { readIfThere } from '../lib/secret_file.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { freePort } from './free_port.ts';
import { findPostmaster, forgetPostmaster, stopPostmaster } from './postmaster.ts';
import { beginLog, boundLog, logSettings } from './server_log.ts';
import { findRunner, type Runner } from './user.ts';

export interface EmbeddedServer {
  readonly url: string;
  /** Stops it, unless another of our processes still uses it. */
  stop(): Promise<void>;
}

/** Paths in the data directory. */
const pathsIn = (dataDir: string) => ({
  cluster: join(dataDir, 'postgres'),
  unfinished: join(dataDir, 'postgres.new'),
  password: join(dataDir, 'postgres.password'),
  log: join(dataDir, 'postgres.log'),
  lock: join(dataDir, 'postgres.lock'),
  users: join(dataDir, 'postgres.users'),
});

type Paths = ReturnType<typeof pathsIn>;

/**
 * Starts PostgreSQL on what `dataDir` holds, or joins the one that runs on it. It is created at
 * the first start. Several processes may call this on one directory: the last to stop stops it.
 * @param dataDir made when missing; may contain spaces, may belong to root
 * @throws when there is no PostgreSQL for this platform, or it does not start (with its output)
 */
export async function startEmbedded(dataDir: string): Promise<EmbeddedServer> {
  const at = pathsIn(resolve(dataDir));
  await mkdir(at.users, { recursive: true });
  const badge = join(at.users, String(process.pid));
  return withProcessLock(at.lock, async () => {
    const port = (await joinRunning(at)) ?? (await start(at));
    const url = await urlOf(at, port);
    await writeFile(badge, identityOf(process.pid));
    const leaveLog = boundLog(at.log);
    return {
      url,
      stop: () =>
        withProcessLock(at.lock, async () => {
          leaveLog();
          await rm(badge, { force: true });
          if (!(await inUse(at))) await stopPostmaster(at.cluster);
        }),
    };
  });
}

/** Whether there is a database in `dataDir`, running or not. */
export const exists = (dataDir: string): Promise<boolean> => hasCluster(pathsIn(resolve(dataDir)));

const hasCluster = async (at: Paths): Promise<boolean> =>
  (await readIfThere(join(at.cluster, 'PG_VERSION'))) !== undefined;

/** The address of the database that runs on `dataDir`; undefined when none does. */
export async function findRunning(dataDir: string): Promise<string | undefined> {
  const at = pathsIn(resolve(dataDir));
  const running = await findPostmaster(at.cluster);
  return running && urlOf(at, running.port);
}

const passwordOf = async (at: Paths): Promise<string> =>
  (await readFile(at.password, 'utf8')).trim();

const urlOf = async (at: Paths, port: number): Promise<string> =>
  `postgresql://crm:${await passwordOf(at)}@127.0.0.1:${port}/crm`;

/** @returns the port of the server that runs already, which lacks our database if who started it was killed */
async function joinRunning(at: Paths): Promise<number | undefined> {
  const running = await findPostmaster(at.cluster);
  if (running) await accepts(running.port, await passwordOf(at));
  return running?.port;
}

async function inUse(at: Paths): Promise<boolean> {
  for (const badge of await readdir(at.users)) {
    const path = join(at.users, badge);
    if (livesStill(await readFile(path, 'utf8'))) return true;
    await rm(path);
  }
  return false;
}

async function start(at: Paths): Promise<number> {
  const binaries = await findBinaries();
  const runner = await findRunner(at.cluster, binaries.initdb);
  await initialise(at, binaries, runner);
  await forgetPostmaster(at.cluster);
  const lingersUntil = Date.now() + lingeringMs;
  for (let attempt = 1; ; ) {
    const port = await freePort();
    const failure = await launch(at, binaries, runner, port);
    if (failure === undefined) return port;
    if (failure.includes('shared memory block') && Date.now() < lingersUntil) {
      await sleep(100);
      continue;
    }
    // Between finding a free port and listening on it, another program may have taken it.
    if (attempt++ === 3 || !failure.includes('Address already in use')) {
      throw new Error(`The embedded PostgreSQL did not start:\n${failure}`);
    }
  }
}

/** How long processes of a server that was killed may hold its memory, in milliseconds. */
const lingeringMs = 10_000;

/** Creates the cluster beside its place, so that a half-made one is never used. */
async function initialise(at: Paths, { initdb }: Binaries, runner: Runner): Promise<void> {
  if (await hasCluster(at)) return;
  await writeFile(at.password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  await runner.own(at.password);
  const create = async (...further: readonly string[]) => {
    await rm(at.unfinished, { recursive: true, force: true });
    await mkdir(at.unfinished, { mode: 0o700 });
    await runner.own(at.unfinished);
    return outputOfFailure(runner, initdb, [
      `--pgdata=${at.unfinished}`,
      '--username=crm',
      `--pwfile=${at.password}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      // Folds case by Unicode, the same on every machine.
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...further,
    ]);
  };
  // Trigrams are of what the system takes for letters; not every system knows those of all scripts.
  const failure = (await create('--lc-ctype=C.UTF-8')) && (await create());
  if (failure) throw new Error(`The embedded PostgreSQL could not be created:\n${failure}`);
  await rename(at.unfinished, at.cluster);
}

/** Runs a program: what it put out if it failed, undefined if it did not. */
async function outputOfFailure(
  runner: Runner,
  program: string,
  args: readonly string[],
): Promise<string | undefined> {
  const child = runner.spawn(program, [...args], {
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout?.on('data', (chunk) => (output += String(chunk)));
  child.stderr?.on('data', (chunk) => (output += String(chunk)));
  const [code] = await once(child, 'close');
  return code === 0 ? undefined : output || `${program} failed`;
}

/**
 * How much PostgreSQL keeps of its files in memory of its own. With its default of 128 MB a batch of changes to
 * a table of a few hundred thousand rows takes two thirds longer.
 * @param memory bytes that the machine has, or that it lets this process use
 * @returns an eighth of that in megabytes, within limits: the service and the system's cache need the rest
 */
export const megabytesOfPages = (memory: number): number =>
  Math.min(1024, Math.max(128, Math.floor(memory / 8 / 1024 ** 2)));

/** @returns PostgreSQL's output if it did not start */
async function launch(
  at: Paths,
  { postgres }: Binaries,
  runner: Runner,
  port: number,
): Promise<string | undefined> {
  const log = await beginLog(at.log);
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    jit: 'off',
    ...logSettings,
    shared_buffers: `${megabytesOfPages(Math.min(totalmem(), process.constrainedMemory() || Infinity))}MB`,
    // A search that sorts a whole account by long texts is stopped before it fills the disk.
    temp_file_limit: '1GB',
  };
  // In a process group of its own: Ctrl-C in a terminal must not reach it before we have drained. Its
  // output goes to a file, because a pipe would break when we are killed.
  const child = runner.spawn(
    postgres,
    [
      '-D',
      at.cluster,
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    { env: environment(), detached: true, stdio: ['ignore', log.fd, log.fd] },
  );
  let ended = false;
  child.once('error', () => (ended = true));
  child.once('exit', () => (ended = true));
  child.unref();
  await log.close();
  const password = await passwordOf(at);
  while (!ended) {
    if (await accepts(port, password)) return undefined;
    await sleep(50);
  }
  return (await readFile(at.log, 'utf8')).slice(-4000);
}

/** Whether it accepts connections; creates our database when it is missing. */
async function accepts(port: number, password: string): Promise<boolean> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'crm',
    password,
    database: 'postgres',
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'crm'");
    if (rowCount === 0) await client.query('CREATE DATABASE crm');
    return true;
  } catch (error) {
    // Not listening yet, or still recovering from a crash.
    if (hasCode(error, 'ECONNREFUSED') || hasCode(error, '57P03')) return false;
    throw error;
  } finally {
    await client.end();
  }
}

/** Not the caller's: its PGPORT or locale would change what is created. */
const environment = () => ({ PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' });
