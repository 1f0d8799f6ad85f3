/** A million contacts, what a next version does to their table, and who is at work on it meanwhile. */
import { Agent } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { raw } from '../../src/db/sql/sql.ts';
import { grow } from '../bench/search_seed.ts';
import type { ServiceProcess } from '../kit/process.ts';
import type { World } from '../kit/world.ts';
import { type Noticed, noticed, type Sent, send } from './requests.ts';

const contacts = 1_000_000;
const everyMs = 20;

/** How long it may take until they are there, in milliseconds. */
export const growingMs = 1_800_000;

export async function growMillion(url: string): Promise<void> {
  const db = await openDatabase({ url, statementTimeoutMs: growingMs });
  await unindexed(db, () => grow(db, 0, contacts));
  await db.close();
}

/**
 * Writes many contacts and deals without the indexes that may be missing meanwhile: to build those at the end
 * takes a fraction of the time in which they grow with the rows.
 */
export async function unindexed(db: Queryable, write: () => Promise<void>): Promise<void> {
  const indexes = await db.query<{ name: string; definition: string }>(
    raw(`SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
      FROM pg_index WHERE indrelid IN ('contacts'::regclass, 'deals'::regclass) AND NOT indisunique`),
  );
  for (const { name } of indexes) await db.query(raw(`DROP INDEX ${name}`));
  await write();
  for (const { definition } of indexes) await db.query(raw(definition));
  await db.query(raw('VACUUM (ANALYZE)'));
  await db.query(raw('CHECKPOINT'));
}

/** The migrations of the next version: columns, a check and indexes. */
export const scripts = [
  'ALTER TABLE "contacts" ADD COLUMN "next" TEXT, ADD COLUMN "next_flag" BOOLEAN NOT NULL DEFAULT false',
  'ALTER TABLE "contacts" ADD CONSTRAINT "contacts_next_check" CHECK ("next" <> \'\') NOT VALID',
  'ALTER TABLE "contacts" VALIDATE CONSTRAINT "contacts_next_check"',
  `-- needs: pg_trgm, btree_gin
   CREATE INDEX CONCURRENTLY "contacts_next_idx" ON "contacts"
   USING gin (lower(("full_name" || ' ' || "email") COLLATE "unicode_case") gin_trgm_ops, "account_id")`,
  'CREATE UNIQUE INDEX CONCURRENTLY "contacts_next_key" ON "contacts" ("account_id", "id", "next")',
];

type Call = (n: number) => Sent;

/** Reads and writes of the tables that are migrated. */
export async function callsOf(neighbour: World): Promise<readonly Call[]> {
  const { token } = neighbour.admin;
  const account = `/api/v1/accounts/${neighbour.accountId}`;
  const { id, contact_id } = await neighbour.deal();
  const contact = `${account}/contacts/${contact_id}`;
  const query = { full_name_cont: 'neighbour' };
  const calls: readonly Call[] = [
    () => ({ path: contact }),
    (n) => ({ path: contact, method: 'PUT', body: { full_name: `Nina Neighbour ${n}` } }),
    () => ({ path: `${account}/contacts/search`, method: 'POST', body: { query } }),
    (n) => ({ path: `${account}/contacts`, method: 'POST', body: { email: `n${n}@example.com` } }),
    (n) => ({
      path: `${account}/contacts/upsert`,
      method: 'POST',
      body: { email: `u${n % 50}@example.com`, full_name: `Upserted ${n}` },
    }),
    (n) => ({ path: `${account}/deals/${id}`, method: 'PUT', body: { name: `Deal ${n}` } }),
  ];
  return calls.map((call) => (n) => ({ ...call(n), token }));
}

/** Milliseconds of each request, and how often each status came. */
export interface Seen {
  readonly times: number[];
  readonly statuses: Record<string, number>;
}

let sent = 0;

/**
 * Sends a request every 20 ms, whatever became of those before, until `end` resolves.
 * @param doors where to, in turns
 * @returns what was seen at each door
 */
export async function watch(
  calls: readonly Call[],
  doors: readonly Pick<ServiceProcess, 'port'>[],
  end: Promise<unknown>,
): Promise<readonly Seen[]> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const all = doors.map((door): { readonly door: typeof door; readonly seen: Seen } => ({
    door,
    seen: { times: [], statuses: {} },
  }));
  const ask = async (n: number) => {
    const call = calls[n % calls.length];
    const at = all[Math.floor(n / calls.length) % all.length];
    if (!call || !at) return;
    const began = performance.now();
    const { status } = await send(at.door, call(n), agent);
    at.seen.times.push(performance.now() - began);
    const kind = status.startsWith('2') ? '2xx' : status;
    at.seen.statuses[kind] = (at.seen.statuses[kind] ?? 0) + 1;
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
  return all.map(({ seen }) => seen);
}

/** What was noticed at several doors, or at one at several times. */
export function together(seen: readonly Seen[]): Noticed {
  const statuses: Record<string, number> = {};
  for (const each of seen) {
    for (const [status, count] of Object.entries(each.statuses)) {
      statuses[status] = (statuses[status] ?? 0) + count;
    }
  }
  return noticed(
    seen.flatMap(({ times }) => times),
    statuses,
  );
}
