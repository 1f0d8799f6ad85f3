/** The nodes of a Patroni cluster on one machine. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Access } from '../../src/config/database_url.ts';
import { freePort } from '../../src/postgres/free_port.ts';
import type { Place, Program } from './programs.ts';

const run = promisify(execFile);
const settings = fileURLToPath(new URL('../../src/deploy/patroni.yaml', import.meta.url));

/** Debian's PostgreSQL. */
const binaries = process.env.PG_BINARIES ?? '/usr/lib/postgresql/15/bin';
const password = randomBytes(12).toString('hex');

interface Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  patroni: Program | undefined;
}

/** What a node says of itself, and of those that follow it. */
interface State {
  readonly isPrimary: boolean;
  readonly followers: number;
  /** Whether it acknowledges a commit only once another one has it. */
  readonly isSafe: boolean;
}

export class Nodes {
  readonly #place: Place;
  readonly #etcd: string;
  readonly #nodes: readonly Node[];

  private constructor(place: Place, etcd: string, nodes: readonly Node[]) {
    this.#place = place;
    this.#etcd = etcd;
    this.#nodes = nodes;
  }

  /** Starts `count` nodes, with an empty database `crm` of a role of the same name. */
  static async start(place: Place, etcd: string, count: number): Promise<Nodes> {
    const nodes: Node[] = [];
    for (let n = 1; n <= count; n += 1) {
      const ports = { port: await freePort(), restPort: await freePort() };
      nodes.push({ name: `db${n}`, ...ports, patroni: undefined });
    }
    const started = new Nodes(place, etcd, nodes);
    await started.heal();
    await started.#create();
    return started;
  }

  /** All of them, as a URL lists them. */
  get hosts(): string {
    return this.#nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  /** All nodes, for the service's role. */
  url(access: Access): string {
    return `postgresql://crm:crm@${this.hosts}/crm?target_session_attrs=${access}`;
  }

  /**
   * Starts what is down, and waits until one node is the primary, all others follow it, and one of them has what it
   * acknowledges: until then Patroni lets it write alone.
   */
  async heal(): Promise<void> {
    for (const node of this.#nodes) node.patroni ??= await this.#launch(node);
    for (;;) {
      const found = await Promise.all(this.#nodes.map(({ port }) => this.#state(port)));
      const primary = found.find((state) => state?.isPrimary);
      if (primary?.isSafe && primary.followers === this.#nodes.length - 1) return;
      await sleep(200);
    }
  }

  /** Kills Patroni and PostgreSQL of the primary's node, so that neither can say goodbye. */
  async killPrimary(): Promise<void> {
    for (const node of this.#nodes) {
      if (!(await this.#state(node.port))?.isPrimary) continue;
      const file = this.#place.at(node.name, 'postmaster.pid');
      const [postmaster = ''] = (await readFile(file, 'utf8')).split('\n');
      // All of PostgreSQL is in the group of the process that Patroni started it with.
      const { stdout: group } = await run('ps', ['-o', 'pgid=', '-p', postmaster]);
      await node.patroni?.kill();
      node.patroni = undefined;
      process.kill(-Number(group), 'SIGKILL');
      return;
    }
    throw new Error('there is no primary to kill');
  }

  /** When there is a primary, by the clock of `performance`. */
  async promoted(): Promise<number> {
    for (;;) {
      const found = await Promise.all(this.#nodes.map(({ port }) => this.#state(port)));
      if (found.some((state) => state?.isPrimary)) return performance.now();
      await sleep(10);
    }
  }

  #launch({ name, port, restPort }: Node): Promise<Program> {
    const env = {
      PATRONI_NAME: name,
      PATRONI_ETCD3_HOSTS: this.#etcd,
      PATRONI_POSTGRESQL_LISTEN: `127.0.0.1:${port}`,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: `127.0.0.1:${port}`,
      PATRONI_RESTAPI_LISTEN: `127.0.0.1:${restPort}`,
      PATRONI_RESTAPI_CONNECT_ADDRESS: `127.0.0.1:${restPort}`,
      PATRONI_POSTGRESQL_DATA_DIR: this.#place.at(name),
      PATRONI_POSTGRESQL_BIN_DIR: binaries,
      PATRONI_POSTGRESQL_PGPASS: this.#place.at(`${name}.pgpass`),
      PATRONI_SUPERUSER_PASSWORD: password,
      PATRONI_REPLICATION_PASSWORD: password,
    };
    return this.#place.start(name, '/usr/bin/patroni', [settings], restPort, env);
  }

  async #create(): Promise<void> {
    for (const { port } of this.#nodes) {
      if (!(await this.#state(port))?.isPrimary) continue;
      await ask(port, "CREATE ROLE crm LOGIN PASSWORD 'crm'");
      await ask(port, 'GRANT pg_read_all_stats TO crm');
      await ask(port, 'CREATE DATABASE crm OWNER crm');
    }
  }

  async #state(port: number): Promise<State | undefined> {
    // A base backup streams as well, for a standby that does not follow yet.
    const [state] = await ask(
      port,
      `SELECT NOT pg_is_in_recovery() AS "isPrimary", count(pid)::int AS followers,
        coalesce(bool_or(sync_state = 'sync'), false) AS "isSafe"
      FROM (SELECT) AS here LEFT JOIN pg_stat_replication
        ON state = 'streaming' AND application_name <> 'pg_basebackup'`,
    ).catch(() => []);
    return state as State | undefined;
  }
}

async function ask(port: number, statement: string): Promise<object[]> {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'postgres', password, database: 'postgres' },
    connectionTimeoutMillis: 1000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
