/** Two writers make random writes side by side; then what one of them did is taken back. */
import { Random } from '../fuzz/random.ts';
import { caughtUp } from '../kit/feed.ts';
import { Mcp } from '../kit/mcp.ts';
import { apply, contentsOf, type Replica, readEntries, readReplica } from '../kit/replica.ts';
import type { SharedService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';
import { AgentWriter, undoneBy } from './agent.ts';
import { ClientCopy } from './client.ts';
import { type Entry, faultsOf, orderOf, statesOf } from './expected.ts';
import { type Conflict, revert } from './revert.ts';
import { overRest, Writes } from './writes.ts';

export interface Outcome {
  /** What is wrong, a line each. */
  readonly faults: readonly string[];
  readonly reverted: number;
  readonly conflicts: number;
  readonly statuses: ReadonlyMap<number, number>;
}

async function entriesOf({ service, accountId }: World): Promise<readonly Entry[]> {
  const tokens = await service.database.query<{ id: number; token_id: number | null }>(
    'SELECT id, token_id FROM audit_entries WHERE account_id = $1',
    [accountId],
  );
  const known = new Map(tokens.map(({ id, token_id }) => [id, token_id]));
  const entries = await readEntries(service.database, accountId);
  return entries.map((entry) => ({ ...entry, token_id: known.get(entry.id) ?? null }));
}

/** By which door the one writes, and takes back what it wrote. */
export type Door = 'rest' | 'mcp';

/**
 * @param writes of each of the two
 * @param seed chooses them; with an even one the others leave the order of deals alone
 */
export async function run(
  service: SharedService,
  writes: number,
  seed: number,
  door: Door = 'rest',
): Promise<Outcome> {
  const w = await world(service);
  const random = new Random(seed);
  const made = await w.rest.post<{ id: number; access_token: string }>('/tokens', { name: 'wild' });
  const { id: token_id, access_token } = made.body;
  const agent = new Mcp(service.client, access_token);
  const own = w.restAs(access_token);
  const wild = door === 'mcp' ? new AgentWriter(agent, own) : overRest(own);
  const other = overRest(w.rest);
  const chance = new Writes(w, random);
  await chance.begin(other);
  const read = () => readReplica(service.database, w.accountId);
  const start = await read();
  const since = (await entriesOf(w)).at(-1)?.id ?? 0;
  await caughtUp(w);
  const client = await ClientCopy.take(w.rest);
  const keepsOrder = seed % 2 === 0;
  for (let left = [writes, writes]; left.some((count) => count > 0); ) {
    const turn = random.chance(0.5) ? 0 : 1;
    if (!left[turn]) continue;
    left = left.map((count, at) => (at === turn ? count - 1 : count));
    if (turn === 0) await chance.write(wild, { keepsOrder: false });
    else await chance.write(other, { keepsOrder });
  }
  const before = await read();
  const written = (await entriesOf(w)).filter(({ id }) => id > since);
  const copy = await copyOf(start);
  const states = statesOf(copy, written, ({ token_id }) => token_id === made.body.id);
  const faults: string[] = [...compare('the writes', copy, before)];

  const first = door === 'mcp' ? await undoneBy(agent, w, token_id) : await revert(w, { token_id });
  const after = await read();
  faults.push(
    ...(await follow(w, copy, written.at(-1)?.id ?? 0)),
    ...compare('the undo', copy, after),
    ...(await behind(w, client)),
  );
  faults.push(...faultsOf(states, before, after, first.conflicts));
  const movedByOthers = written.some(
    ({ token_id, action }) =>
      token_id !== made.body.id && /^(deal|stage)\.(create|delete|reorder)/.test(action),
  );
  const deletes = written.some(({ action }) => /^(deal|contact|stage)\.delete/.test(action));
  const isKept = first.conflicts.some(({ record_type }) => /deal$|stage|contact/.test(record_type));
  if (keepsOrder && !movedByOthers && !deletes && !isKept) {
    if (orderOf(after).join() !== orderOf(start).join())
      faults.push('the order of deals is another');
  }

  const marked = (await entriesOf(w)).at(-1)?.id ?? 0;
  const second = await revert(w, { request_id: first.request_id });
  const again = await read();
  faults.push(
    ...(await follow(w, copy, marked)),
    ...compare('its undo', copy, again),
    ...(await behind(w, client)),
  );
  faults.push(...differencesOf(before, again, second.conflicts));
  return {
    faults,
    reverted: first.reverted,
    conflicts: first.conflicts_count,
    statuses: chance.statuses,
  };
}

const copyOf = async (of: Replica): Promise<Replica> =>
  new Map([...of].map(([name, rows]) => [name, new Map(rows)]));

/** Lets the copy follow what was written since an entry. */
async function follow(w: World, copy: Replica, since: number): Promise<readonly string[]> {
  try {
    for (const entry of await entriesOf(w)) if (entry.id > since) apply(copy, entry);
    return [];
  } catch (error) {
    return [`entries cannot be followed: ${String(error)}`];
  }
}

/** Lets a client's copy follow the feed. */
async function behind(w: World, client: ClientCopy): Promise<readonly string[]> {
  try {
    await caughtUp(w);
    await client.follow();
    const exported = await ClientCopy.take(w.rest);
    return differing('the feed', client.contents, exported.contents);
  } catch (error) {
    return [`the feed cannot be followed: ${String(error)}`];
  }
}

type Contents = ReturnType<typeof contentsOf>;

function differing(by: string, one: Contents, other: Contents): readonly string[] {
  return Object.keys(other).flatMap((name) =>
    JSON.stringify(sorted(one[name])) === JSON.stringify(sorted(other[name]))
      ? []
      : [`${name} differ from what ${by} tells`],
  );
}

function compare(what: string, copy: Replica, tables: Replica): readonly string[] {
  return differing(`the trail of ${what}`, contentsOf(copy), contentsOf(tables));
}

/** With keys in one order. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
};

/** What the undo of an undo did not bring back, of all that is there still. */
function differencesOf(
  before: Replica,
  again: Replica,
  conflicts: readonly Conflict[],
): readonly string[] {
  const faults: string[] = [];
  const skipped = /_at$|position|pipeline_id|total_/;
  for (const [name, rows] of before) {
    const ids = [...rows.keys(), ...(again.get(name)?.keys() ?? [])];
    const left = ids.filter((id) => rows.has(id) !== again.get(name)?.has(id));
    const isTold = (id: number) => conflicts.some(({ record_id }) => record_id === id);
    for (const id of left) if (!isTold(id)) faults.push(`undone again: ${name} ${id}`);
  }
  for (const [name, rows] of again) {
    for (const [id, row] of rows) {
      const was = before.get(name)?.get(id);
      for (const [field, value] of Object.entries(was ?? {})) {
        const isTold = conflicts.some((one) => one.record_id === id && one.fields.includes(field));
        if (
          skipped.test(field) ||
          isTold ||
          (name === 'events' && field === 'contact_id' && row.deal_id !== null)
        )
          continue;
        if (JSON.stringify(row[field]) === JSON.stringify(value)) continue;
        faults.push(`undone again: ${name} ${id} has ${field} ${JSON.stringify(row[field])}`);
      }
    }
  }
  return faults;
}
