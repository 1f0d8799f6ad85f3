/** A million contacts are migrated while 50 requests a second go on. */
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { grow } from '../bench/search_seed.ts';
import { type NextMigrations, nextMigrations } from '../kit/migrations.ts';
import { type Noticed, openScene, type Scene, type Sent, send, tell } from './scene.ts';

const contacts = 1_000_000;
const everyMs = 20;

let scene: Scene;
let next: NextMigrations;
beforeAll(async () => {
  scene = await openScene();
  next = await nextMigrations();
  const db = await openDatabase({ url: scene.database.url, statementTimeoutMs: 3_600_000 });
  await grow(db, 0, contacts);
  await db.close();
}, 1_800_000);
afterAll(async () => {
  await next.remove();
  await scene.close();
});

/** Reads and writes of the tables that are migrated, in turns. */
async function calls(): Promise<readonly ((n: number) => Omit<Sent, 'token'>)[]> {
  const { neighbour } = scene;
  const account = `/api/v1/accounts/${neighbour.accountId}`;
  const deal = await neighbour.deal();
  const contact = `${account}/contacts/${deal.contact_id}`;
  const query = { full_name_cont: 'neighbour' };
  return [
    () => ({ path: contact }),
    (n) => ({ path: contact, method: 'PUT', body: { full_name: `Nina Neighbour ${n}` } }),
    () => ({ path: `${account}/contacts/search`, method: 'POST', body: { query } }),
    (n) => ({ path: `${account}/contacts`, method: 'POST', body: { email: `n${n}@example.com` } }),
    (n) => ({
      path: `${account}/contacts/upsert`,
      method: 'POST',
      body: { email: `u${n % 50}@example.com`, full_name: `Upserted ${n}` },
    }),
    (n) => ({ path: `${account}/deals/${deal.id}`, method: 'PUT', body: { name: `Deal ${n}` } }),
  ];
}

let sent = 0;

/** Sends a request every 20 ms, whatever became of those before, until `end` resolves. */
async function watch(end: Promise<unknown>): Promise<Noticed> {
  const { neighbour, service } = scene;
  const all = await calls();
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  const ask = async (n: number) => {
    const call = all[n % all.length]?.(n);
    if (!call) return;
    const began = performance.now();
    const { status } = await send(service, { ...call, token: neighbour.admin.token }, agent);
    times.push(performance.now() - began);
    const kind = status.startsWith('2') ? '2xx' : status;
    statuses[kind] = (statuses[kind] ?? 0) + 1;
  };
  let over = false;
  void end.finally(() => (over = true));
  const asked: Promise<void>[] = [];
  for (let due = performance.now(); !over; due += everyMs) {
    await sleep(Math.max(0, due - performance.now()));
    asked.push(ask(sent++));
  }
  await Promise.all(asked);
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor((times.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1), statuses };
}

const scripts = [
  'ALTER TABLE "contacts" ADD COLUMN "next" TEXT, ADD COLUMN "next_flag" BOOLEAN NOT NULL DEFAULT false',
  'ALTER TABLE "contacts" ADD CONSTRAINT "contacts_next_check" CHECK ("next" <> \'\') NOT VALID',
  'ALTER TABLE "contacts" VALIDATE CONSTRAINT "contacts_next_check"',
  `-- needs: pg_trgm, btree_gin
   CREATE INDEX CONCURRENTLY "contacts_next_idx" ON "contacts"
   USING gin (lower(("full_name" || ' ' || "email") COLLATE "unicode_case") gin_trgm_ops, "account_id")`,
  'CREATE UNIQUE INDEX CONCURRENTLY "contacts_next_key" ON "contacts" ("account_id", "id", "next")',
];

test('no request fails while columns, a check and indexes are added, nor takes five times as long', async () => {
  await watch(sleep(5000));
  const quiet = await watch(sleep(30_000));
  for (const script of scripts) await next.write(script);
  const began = performance.now();
  const migrating = migrate(scene.database.url, { directory: next.directory });
  const meanwhile = await watch(migrating);
  const seconds = (performance.now() - began) / 1000;
  tell('a migration of a million contacts', { seconds, quiet, meanwhile });
  expect(await migrating).toHaveLength(scripts.length);
  expect(Object.keys({ ...quiet.statuses, ...meanwhile.statuses })).toEqual(['2xx']);
  expect(meanwhile.p99).toBeLessThan(5 * quiet.p99);
});
