/** Walks through models, done once more by the service's own statements on a real PostgreSQL. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrations/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';
import { raw } from '../../src/db/sql/sql.ts';
import { dueWebhooks } from '../../src/delivery/accounts.ts';
import { claim, claimSeconds, record, release } from '../../src/delivery/claims.ts';
import { startEmbedded } from '../../src/postgres/embedded.ts';
import { beginning } from '../../src/resources/changes/cursor.ts';
import { type Horizon, readHorizon } from '../../src/resources/changes/horizon.ts';
import { pageStatement, type Row } from '../../src/resources/changes/statement.ts';
import { walk } from './quint.ts';

/** A step of a walk: what was done, with which choices, and the variables after it. */
interface Step {
  readonly action: string;
  readonly picks: Readonly<Record<string, unknown>>;
  readonly state: Readonly<Record<string, unknown>>;
}

/** Values of the Informal Trace Format as JavaScript has them: numbers, and lists for sets and tuples. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = new Map<string, unknown>(Object.entries(value));
  if (entries.has('#bigint')) return Number(entries.get('#bigint'));
  for (const name of ['#set', '#tup', '#map'])
    if (entries.has(name)) return plain(entries.get(name));
  if (entries.get('tag') === 'None') return undefined;
  if (entries.get('tag') === 'Some') return plain(entries.get('value'));
  return Object.fromEntries([...entries].map(([name, each]) => [name, plain(each)]));
}

function stepsOf(text: string): Step[] {
  const { states }: { states: Record<string, unknown>[] } = JSON.parse(text);
  return states.map((state) => ({
    action: String(state['mbt::actionTaken']),
    picks: Object(plain(state['mbt::nondetPicks'])),
    state: Object.fromEntries(
      Object.entries(state).map(([name, value]) => [name.replace(/^.*::/, ''), plain(value)]),
    ),
  }));
}

/** What a walk is replayed on. */
interface Ground {
  readonly db: Database;
  readonly url: string;
  readonly accountId: number;
}

function same(step: Step, at: number, here: unknown, there: unknown): void {
  const [real, modelled] = [JSON.stringify(here), JSON.stringify(there)];
  if (real === modelled) return;
  throw new Error(`step ${at}, ${step.action}: ${real} where the model has ${modelled}`);
}

const write = `WITH written AS (
    UPDATE products SET quantity_available = quantity_available + 1
    WHERE account_id = $1 AND identifier = $2 RETURNING id
  )
  INSERT INTO audit_entries (account_id, action, record_type, record_id)
  SELECT $1, 'product.update', 'product', id FROM written RETURNING id`;

/** Three writers with a connection each, and a reader of the feed. */
async function replayFeed({ db, url, accountId }: Ground, steps: readonly Step[]): Promise<void> {
  await db.query(
    raw(`INSERT INTO products (account_id, identifier, name, quantity_available, updated_at)
      SELECT ${accountId}, n, n, 0, now() FROM unnest(ARRAY['x', 'y']) AS n`),
  );
  const writers = new Map<unknown, pg.Client>();
  const working = new Set<unknown>();
  /** The entries of the model's ids. */
  const ids: number[] = [0];
  const told: number[] = [];
  let after = beginning;
  let horizon: Horizon | undefined;
  try {
    for (const [at, step] of steps.entries()) {
      const { w, r, commits } = step.picks;
      const client = writers.get(w) ?? new pg.Client({ connectionString: url });
      if (w !== undefined && !writers.has(w)) {
        writers.set(w, client);
        await client.connect();
      }
      if (step.action === 'write') {
        if (!working.has(w)) await client.query('BEGIN');
        working.add(w);
        const { rows } = await client.query<{ id: string }>(write, [accountId, r]);
        ids.push(Number(rows[0]?.id));
      } else if (step.action === 'end') {
        await client.query(commits ? 'COMMIT' : 'ROLLBACK');
        working.delete(w);
      } else if (step.action === 'ask') horizon = await readHorizon(db);
      else if (step.action === 'read' && horizon) {
        const asked = {
          accountId,
          after,
          seen: [],
          actions: ['product.update'],
          limit: 1,
          horizon,
        };
        const [row] = await db.query<Row>(pageStatement(asked));
        if (row && row.change_order !== null) {
          told.push(row.id);
          after = { order: row.change_order, id: row.id };
        }
        const modelled = Object(step.state.told) as readonly { at: { id: number } }[];
        same(
          step,
          at,
          told,
          modelled.map((change) => ids[change.at.id]),
        );
      }
    }
  } finally {
    for (const client of writers.values()) await client.end();
  }
}

/** A unit of the model's time, in seconds: its leases have six. */
const unit = claimSeconds / 6;

const clockAt = (now: unknown) =>
  raw(`(timestamptz '2026-01-01 00:00:00Z' + interval '${Number(now) * unit} s')`);

/** One delivery, claimed, given back and recorded by the statements of two processes. */
async function replayClaims({ db, accountId }: Ground, steps: readonly Step[]): Promise<void> {
  const [made] = await db.query<{ hook: number; id: number }>(
    raw(`WITH hook AS (
        INSERT INTO webhooks (account_id, url, events, secret)
        VALUES (${accountId}, 'https://a.example', ARRAY['*'], 'whsec_c2VjcmV0') RETURNING id
      ) INSERT INTO webhook_deliveries
        (account_id, webhook_id, message_id, event, record_type, record_id, next_attempt_at)
      SELECT ${accountId}, id, 'msg_1', 'webhook.test', 'webhook', id, ${clockAt(0).text} FROM hook
      RETURNING webhook_id AS hook, id`),
  );
  const { hook, id } = made ?? { hook: 0, id: 0 };
  for (const [at, step] of steps.entries()) {
    const { now, due } = step.state;
    const clock = clockAt(now);
    const { i, o } = Object(step.picks) as Record<string, { until: number; isWell: boolean }>;
    if (step.action === 'claim') {
      const claimed = await claim(db, accountId, hook, 1, clock);
      same(
        step,
        at,
        claimed.map((one) => one.id),
        [id],
      );
    } else if (step.action === 'release' && i && Number(now) < i.until) {
      await release(db, accountId, [id], clock);
    } else if (step.action === 'record' && o) {
      const outcome = {
        status: null,
        answer: null,
        duration_ms: 1,
        error: o.isWell ? null : 'hung',
      };
      await record(db, accountId, [{ id, pause: unit, ...outcome }], clock);
    }
    const [row] = await db.query<{ due: number | null }>(
      raw(`SELECT extract(epoch FROM next_attempt_at - ${clockAt(0).text})::integer AS due
        FROM webhook_deliveries WHERE account_id = ${accountId} AND id = ${id}`),
    );
    same(step, at, row?.due === null ? -1 : (row?.due ?? 0) / unit, due);
    const found = await dueWebhooks(db, [accountId], clock);
    same(step, at, found.length, Number(due) >= 0 && Number(due) <= Number(now) ? 1 : 0);
  }
}

const replays = [
  { model: 'feed', steps: 30, replay: replayFeed },
  { model: 'claims', steps: 40, replay: replayClaims },
];

/**
 * Replays walks through each of the models that can be.
 * @param count of each
 * @throws {Error} at the first step after which the service is not where the model is
 */
export async function replayAll(seed: number, count: number, tell: (line: string) => void) {
  const folder = await mkdtemp(join(tmpdir(), 'crm models '));
  const embedded = await startEmbedded(join(folder, 'data'));
  try {
    await migrate(embedded.url);
    const db = await openDatabase({ url: embedded.url });
    for (const { model, steps, replay } of replays) {
      const to = join(folder, `${model}_{seq}.itf.json`);
      const traces = { to, count };
      await walk({ model, variant: 'faithful', seed, walks: count, steps, traces });
      let done = 0;
      for (let n = 0; n < count; n += 1) {
        const walked = stepsOf(await readFile(to.replace('{seq}', String(n)), 'utf8'));
        const [account] = await db.query<{ id: number }>(
          raw(`INSERT INTO accounts (name, updated_at) VALUES ('Walk', now()) RETURNING id`),
        );
        await replay({ db, url: embedded.url, accountId: account?.id ?? 0 }, walked).catch(
          (error: unknown) => {
            throw new Error(`${model}, walk ${n}: ${error}`);
          },
        );
        done += walked.length;
      }
      tell(`${model}: ${count} walks, ${done} steps, the same in the service`);
    }
    await db.close();
  } finally {
    await embedded.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
