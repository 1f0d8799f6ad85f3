/** Ways to break things on purpose, and writers that note their answers meanwhile. */
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { keysOf } from '../../src/auth/keys.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { seed } from '../../src/demo/seed.ts';
import { findBinaries } from '../../src/postgres/binaries.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { findRunner } from '../../src/postgres/user.ts';
import type { TestDatabase } from '../kit/database.ts';
import { openDatabase as lookAt } from '../kit/database.ts';
import { call, type Demo, type ServiceProcess } from '../kit/process.ts';
import { secret } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { again } from './scene.ts';

/** A PostgreSQL of this test alone, on a disk of its own, with the demo account. */
export interface Victim {
  readonly shop: Demo;
  /** Kills all of it at once. */
  kill(): Promise<void>;
  /** Starts it again where it was killed; it is back when it accepts connections. */
  revive(): Promise<void>;
  /** Leaves not a byte on its disk, until the promise that it returns a function for. */
  fill(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** @param directory where its disk, half a gigabyte of memory, is mounted: this takes root */
export async function openVictim(directory: string): Promise<Victim> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=500m,mode=0755', 'crm-test', directory]);
  const dataDir = join(directory, 'data');
  const first = await startEmbedded(dataDir);
  await migrate(first.url);
  const opened = await openDatabase({ url: first.url });
  const made = await seed(opened, { keys: keysOf([secret]), tokenTtl: null, now: new Date() });
  await opened.close();
  await first.stop();
  const url = new URL(first.url);
  const cluster = join(dataDir, 'postgres');
  const { postgres, initdb } = await findBinaries();
  const runner = await findRunner(cluster, initdb);
  let server: ChildProcess | undefined;
  const start = async () => {
    const settings = {
      port: url.port,
      listen_addresses: url.hostname,
      unix_socket_directories: '',
    };
    const given = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    for (;;) {
      const child = runner.spawn(postgres, ['-D', cluster, ...given], { stdio: 'ignore' });
      server = child;
      const ended = once(child, 'exit').then(() => 'ended');
      // It ends at once where the processes of one that was killed hold on to their memory.
      while (child.exitCode === null) {
        if (await accepts(url.href)) return;
        await Promise.race([sleep(20), ended]);
      }
    }
  };
  const kill = async () => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGKILL');
    await gone;
  };
  await start();
  const database: TestDatabase = lookAt(url.href);
  return {
    shop: { database, accountId: made.account_id, token: made.token },
    kill,
    revive: start,
    fill: async () => {
      const ballast = join(directory, 'ballast');
      await writeFile(ballast, Buffer.alloc(600 * 1024 * 1024)).catch(() => undefined);
      return async () => {
        await rm(ballast);
        if (server?.exitCode !== null) await start();
      };
    },
    close: async () => {
      await database.close().catch(() => undefined);
      await kill();
      // Its processes leave a moment after it.
      const unmount = async () => {
        try {
          execFileSync('umount', [directory], { stdio: 'ignore' });
          return true;
        } catch {
          return false;
        }
      };
      await until(unmount, (done) => done, 5000);
    },
  };
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The answers that writers got. */
export class Told {
  /** How often each status came, or what became of the connection. */
  readonly statuses: Record<string, number> = {};
  /** E-mails of contacts that the service said it has stored. */
  readonly stored: string[] = [];
  /** Milliseconds of the answer that took longest. */
  slowest = 0;
  /** When a write was last answered with success, on the clock of `performance`. */
  lastSuccess = 0;

  /** Milliseconds from now until the next write succeeds. */
  async recovery(ms = 20_000): Promise<number> {
    const from = performance.now();
    const success = async () => this.lastSuccess;
    return (await until(success, (at) => at > from, ms)) - from;
  }

  /** E-mails that were acknowledged and are not there. */
  async lost({ database }: Demo): Promise<string[]> {
    const rows = await database.query<{ email: string }>('SELECT email FROM contacts');
    const there = new Set(rows.map(({ email }) => email));
    return this.stored.filter((email) => !there.has(email));
  }
}

let writers = 0;

/** Sixteen clients write contacts, search and move deals until `end`. */
export async function work(
  service: () => Pick<ServiceProcess, 'port'>,
  shop: Demo,
  told: Told,
  end: Promise<unknown>,
): Promise<void> {
  const deals = await shop.database.query<{ id: number; stage_id: number }>(
    'SELECT id, stage_id FROM deals ORDER BY id LIMIT 8',
  );
  const agents = Array.from(
    { length: 16 },
    () => new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false }),
  );
  await again(agents.length, end, async (strand) => {
    const n = ++writers;
    const email = `writer-${n}@acme.test`;
    const deal = deals[n % deals.length];
    const agent = agents[strand];
    const began = performance.now();
    const asked =
      n % 4 === 0
        ? call(service(), shop, 'POST', '/deals/search', {}, agent)
        : n % 4 === 1
          ? call(service(), shop, 'PUT', `/deals/${deal?.id}`, { position: 1, name: email }, agent)
          : call(service(), shop, 'POST', '/contacts', { email }, agent);
    const status = await asked.catch((error: NodeJS.ErrnoException) => error.code ?? error.message);
    const now = performance.now();
    told.statuses[status] = (told.statuses[status] ?? 0) + 1;
    if (typeof status === 'number') told.slowest = Math.max(told.slowest, now - began);
    if (status === 201) {
      told.stored.push(email);
      told.lastSuccess = now;
    }
    await sleep(status === 201 ? 10 : 50);
  });
  for (const agent of agents) agent.destroy();
}

/** Connections that the service has to the database. */
export async function backends({ database }: Demo): Promise<number> {
  const rows = await database.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'crm'",
  );
  return rows.length;
}
