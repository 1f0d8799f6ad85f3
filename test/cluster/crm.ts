/** The service on a cluster, and clients that write to it. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { keysOf } from '../../src/auth/keys.ts';
import { openDatabase } from '../../src/db/open.ts';
import { seed } from '../../src/demo/seed.ts';
import type { Request } from '../bench/operations/operation.ts';
import { send, serviceProgram, startTarget, type Target } from '../bench/processes.ts';

const run = promisify(execFile);

export const secret = 'a secret of the clusters, long enough to sign with';

/** Whose requests are sent, and to which processes. */
export interface Clients {
  readonly ports: readonly number[];
  readonly token: string;
  readonly accountId: number;
}

/** Migrates a database as `crm migrate` does: what it printed. */
export async function migrate(env: Readonly<Record<string, string>>): Promise<string> {
  const args = ['dist/cli/main.js', 'migrate'];
  const { stdout } = await run(process.execPath, args, {
    env: { ...process.env, JWT_SECRET: secret, ...env },
  });
  return stdout.trim();
}

/** Gives a migrated database the demo account. */
export async function populate(url: string): Promise<Omit<Clients, 'ports'>> {
  const database = await openDatabase({ url });
  try {
    const made = await seed(database, { keys: keysOf([secret]), tokenTtl: null, now: new Date() });
    return { token: made.token, accountId: made.account_id };
  } finally {
    await database.close();
  }
}

/** One process of the service, as `npm start` runs it. */
export const startService = (
  dataDir: string,
  env: Readonly<Record<string, string>>,
): Promise<Target> =>
  startTarget(
    'the service',
    serviceProgram,
    { JWT_SECRET: secret, DATA_DIR: dataDir, WORKERS: '1', RATE_LIMIT: 'off', ...env },
    { log: `${dataDir}.log` },
  );

/** Prints a figure and whether it is as it must be; the process fails if one is not. */
export function tell(figure: string, holds: boolean): void {
  console.log(`${figure}: ${holds ? 'holds' : 'does NOT hold'}`);
  if (!holds) process.exitCode = 1;
}

/** What became of requests. */
export class Outcome {
  /** E-mails of contacts that the service said it has stored, and when it said so. */
  readonly stored: { readonly email: string; readonly at: number }[] = [];
  readonly statuses: Record<string, number> = {};
  slowestMs = 0;

  count(status: number | string, began: number): void {
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began);
  }

  /** Whether every answer was of these statuses. */
  isOnly(statuses: RegExp): boolean {
    return Object.keys(this.statuses).every((status) => statuses.test(status));
  }

  toString(): string {
    return `${JSON.stringify(this.statuses)}, slowest ${this.slowestMs.toFixed(0)} ms`;
  }

  /**
   * Reports whether all stored contacts are in a database, and whether all answers were as they may be.
   * @param statuses 2xx and 503 unless given
   */
  async tellLost(url: string, statuses = /^(20\d|503)$/): Promise<void> {
    const lost = await this.#lostIn(url);
    tell(`${lost} of ${this.stored.length} acknowledged writes lost`, lost === 0);
    tell(`only ${statuses.source}: ${this}`, this.isOnly(statuses));
  }

  async #lostIn(url: string): Promise<number> {
    const database = await openDatabase({ url });
    try {
      const rows = await database.query<{ email: string }>({
        text: 'SELECT email FROM contacts',
        values: [],
      });
      const there = new Set(rows.map(({ email }) => email));
      return this.stored.filter(({ email }) => !there.has(email)).length;
    } finally {
      await database.close();
    }
  }
}

/**
 * Creates contacts, each at once after the last and soon again after a refusal.
 * @param count how many do so at a time
 * @returns ends it
 */
export function write(clients: Clients, outcome: Outcome, count: number): () => Promise<void> {
  let stopped = false;
  const path = `/api/v1/accounts/${clients.accountId}/contacts`;
  const writer = async (port: number) => {
    while (!stopped) {
      const email = `${randomUUID()}@cluster.example`;
      const began = performance.now();
      const request: Request = { method: 'POST', path, body: JSON.stringify({ email }) };
      const answer = await send(port, request, clients.token).catch(({ code, message }) => ({
        status: String(code ?? message),
      }));
      outcome.count(answer.status, began);
      if (answer.status === 201) outcome.stored.push({ email, at: performance.now() });
      else await sleep(50);
    }
  };
  const { ports } = clients;
  const writers = Array.from({ length: count }, (_, n) => writer(ports[n % ports.length] ?? 0));
  return async () => {
    stopped = true;
    await Promise.all(writers);
  };
}
