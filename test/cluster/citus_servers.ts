/** The servers of a Citus cluster on one machine: a coordinator and its workers. */
import { execFile } from 'node:child_process';
import { access, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../../src/postgres/free_port.ts';
import type { Place, Program } from './programs.ts';

const run = promisify(execFile);

/** Of a PostgreSQL that Citus is installed for; Debian's unless given. */
export const binaries = process.env['PG_BINARIES'] ?? '/usr/lib/postgresql/15/bin';

/** Builds Citus from its source, which stays as it is, and installs it; takes some three minutes. */
export async function installCitus(source: string): Promise<void> {
  const copy = await mkdtemp(join(tmpdir(), 'citus-'));
  try {
    await cp(source, copy, { recursive: true });
    // Later minor versions of PostgreSQL 15 declare a function that Citus 13.2 makes up for.
    const header = join(copy, 'src/include/pg_version_compat.h');
    const text = await readFile(header, 'utf8');
    const own = /static inline bool\nhave_createdb_privilege\(void\)\n\{[\s\S]*?\n\}\n/;
    const { stdout: includes } = await run(`${binaries}/pg_config`, ['--includedir-server']);
    const commands = await readFile(join(includes.trim(), 'commands/dbcommands.h'), 'utf8');
    if (commands.includes('have_createdb_privilege')) {
      await writeFile(header, text.replace(own, ''));
    }
    const steps = [
      `./configure PG_CONFIG=${binaries}/pg_config`,
      `make -j${cpus().length}`,
      'make install',
    ];
    await run('sh', ['-c', steps.join(' && ')], { cwd: copy, maxBuffer: 2 ** 28 });
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** @throws where it is not installed, for a server that cannot load it never starts */
export async function requireCitus(): Promise<void> {
  const { stdout } = await run(`${binaries}/pg_config`, ['--pkglibdir']);
  await access(join(stdout.trim(), 'citus.so')).catch(() => {
    throw new Error(`Citus is not installed for ${binaries}: give its source as CITUS_SOURCE`);
  });
}

const citus = {
  shared_preload_libraries: 'citus',
  'citus.node_conninfo': 'sslmode=disable',
  'citus.enable_statistics_collection': 'off',
  'citus.enable_stat_counters': 'on',
  'citus.shard_count': 8,
  // Each database has one that looks for deadlocks between servers, and does without where there is
  // none left.
  max_worker_processes: 32,
};

/** Whether a server that listens has read what it was at when it was killed. */
async function isUp(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  const up = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => undefined);
  return up;
}

export class CitusServer {
  readonly name: string;
  readonly port: number;
  readonly #place: Place;
  readonly #isAlone: boolean;
  #program: Program | undefined;

  private constructor(place: Place, name: string, port: number, isAlone: boolean) {
    this.#place = place;
    this.name = name;
    this.port = port;
    this.#isAlone = isAlone;
  }

  /** @param isAlone whether it is a plain PostgreSQL with the same settings */
  static async start(place: Place, name: string, isAlone = false): Promise<CitusServer> {
    const server = new CitusServer(place, name, await freePort(), isAlone);
    await server.start();
    return server;
  }

  /** Of a database on it. */
  url(database: string): string {
    return `postgres://postgres:not-asked-for@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    const data = this.#place.at(this.name);
    const settings: Readonly<Record<string, string | number>> = {
      ...(this.#isAlone ? {} : citus),
      port: this.port,
      listen_addresses: '127.0.0.1',
      unix_socket_directories: this.#place.directory,
      max_connections: 300,
      max_prepared_transactions: 300,
      max_locks_per_transaction: 256,
      // How often the coordinator looks for deadlocks, of which it ends the youngest transaction. A server on
      // its own would end whichever noticed first, and so possibly the same one again and again.
      ...(this.name === 'coordinator' ? { deadlock_timeout: '100ms' } : {}),
      // A killed process loses nothing of what the system was given; only a machine would.
      fsync: 'off',
    };
    const options = Object.entries(settings).map(([name, value]) => `-c "${name}=${value}"`);
    // One that was killed leaves processes behind for a moment, and the next cannot start before.
    const script = `[ -f "${data}/PG_VERSION" ] || ${binaries}/initdb -D "${data}" -U postgres -A trust -E UTF8 --locale=C.UTF-8
      while :; do ${binaries}/postgres -D "${data}" ${options.join(' ')}; sleep 0.2; done`;
    this.#program = await this.#place.start(this.name, '/bin/sh', ['-c', script], this.port);
    while (!(await isUp(this.url('postgres')))) await sleep(20);
  }

  /** Kills the server; its processes end as they notice. */
  async kill(): Promise<void> {
    await this.#program?.kill();
  }
}
