/**
 * What an account must be after changes were taken back: reckoned slowly, record by record, from
 * the states it was in.
 */
import { apply, type Change, type Replica } from '../kit/replica.ts';
import type { Conflict } from './revert.ts';

export interface Entry extends Change {
  readonly id: number;
  readonly token_id: number | null;
}

type Row = Readonly<Record<string, unknown>>;

/** One write of a record: by whom, and what it was before and after. */
interface State {
  readonly own: boolean;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

const tables = {
  contact: 'contacts',
  product: 'products',
  pipeline: 'pipelines',
  stage: 'stages',
  deal: 'deals',
  deal_product: 'deal_products',
  deal_assignee: 'deal_assignees',
  event: 'events',
} as const;

const table = (kind: string): string =>
  Object.entries(tables).find(([one]) => one === kind)?.[1] ?? '';

/** Every write of each record, by `kind id`, as a copy shows them that follows the trail. */
export function statesOf(
  copy: Replica,
  entries: readonly Entry[],
  isOwn: (entry: Entry) => boolean,
): Map<string, State[]> {
  const states = new Map<string, State[]>();
  for (const entry of entries) {
    const isRecord = /create|update|delete/.test(entry.action) && table(entry.record_type) !== '';
    const read = () => copy.get(table(entry.record_type))?.get(entry.record_id);
    const before = read();
    apply(copy, entry);
    if (!isRecord) continue;
    const key = `${entry.record_type} ${entry.record_id}`;
    const state = { own: isOwn(entry), before, after: read() };
    states.set(key, [...(states.get(key) ?? []), state]);
  }
  return states;
}

/** Fields that mean something together. */
const groups: Readonly<Record<string, readonly string[]>> = {
  'deal status': ['status', 'lost_reason', 'lost_at', 'won_at'],
  'deal lost_reason': ['status', 'lost_reason', 'lost_at', 'won_at'],
  'deal lost_at': ['status', 'lost_reason', 'lost_at', 'won_at'],
  'deal won_at': ['status', 'lost_reason', 'lost_at', 'won_at'],
  'deal stage_id': ['stage_id', 'position'],
};

/** What follows from others, and is looked at apart. */
const derived = [
  ...['created_at', 'updated_at', 'position', 'pipeline_id'],
  ...['total_amount_in_cents', 'total_deal_products_amount_in_cents'],
];
/** An event of a deal has the contact of that. */
const isDerived = (kind: string, field: string, row: Row): boolean =>
  derived.includes(field) || (kind === 'event' && field === 'contact_id' && row.deal_id !== null);

const isChanged = ({ before, after }: State, fields: readonly string[]): boolean =>
  fields.some((field) => JSON.stringify(before?.[field]) !== JSON.stringify(after?.[field]));

/**
 * Compares what there is after with what there must be.
 * @returns what is wrong, a line each
 */
export function faultsOf(
  states: ReadonlyMap<string, readonly State[]>,
  before: Replica,
  after: Replica,
  conflicts: readonly Conflict[],
): readonly string[] {
  const faults: string[] = [];
  const told = (kind: string, id: number, field?: string) =>
    conflicts.filter(
      (one) =>
        one.record_type === kind &&
        one.record_id === id &&
        (field === undefined || one.fields.includes(field)),
    );
  for (const [kind, name] of Object.entries(tables)) {
    for (const [id, was] of before.get(name) ?? []) {
      const all = states.get(`${kind} ${id}`) ?? [];
      const is = after.get(name)?.get(id);
      const own = all.findIndex((state) => state.own);
      const created = all[0]?.own === true && all[0].before === undefined;
      const fail = (text: string) => faults.push(`${kind} ${id}: ${text}`);
      if (created && all.every((state) => state.own)) {
        const held =
          isReferred(after, kind, id) || told(kind, id).some(({ reason }) => reason === 'held');
        if (is && !held && !cameWithDeal(kind, was, conflicts)) fail('should be gone');
        if (!is) continue;
      }
      if (!is) fail('should be there');
      if (!is || own === -1) {
        for (const field of is ? Object.keys(was).filter((of) => !isDerived(kind, of, was)) : []) {
          if (!same(was[field], is?.[field])) fail(`${field} was nobody’s to take back`);
        }
        continue;
      }
      if (created && told(kind, id).length === 0 && !cameWithDeal(kind, was, conflicts))
        fail('stays unsaid');
      for (const field of Object.keys(was).filter((of) => !isDerived(kind, of, was))) {
        const group = groups[`${kind} ${field}`] ?? [field];
        const touching = all.filter(
          (state) => state.before && state.after && isChanged(state, group),
        );
        let expected = was[field];
        for (const state of [...touching].reverse()) {
          if (!state.own) break;
          expected = state.before?.[field];
        }
        const reasons = told(kind, id, field).map(({ reason }) => reason);
        const stays = reasons.some((reason) => /missing|taken|too_large/.test(reason));
        if (!same(is[field], stays ? was[field] : expected)) {
          fail(
            `${field} is ${JSON.stringify(is[field])}, not ${JSON.stringify(expected)} (${reasons})`,
          );
        }
        const first = touching.find((state) => state.own && isChanged(state, [field]));
        const isOthers = touching.at(-1)?.own === false;
        if (isOthers && first && !same(first.before?.[field], was[field]) && reasons.length === 0) {
          fail(`${field} is another’s by now, which is not told`);
        }
      }
    }
    for (const id of after.get(name)?.keys() ?? []) {
      if (before.get(name)?.has(id)) continue;
      if (!lostOf(states.get(`${kind} ${id}`))) faults.push(`${kind} ${id}: came from nowhere`);
    }
    for (const [key, all] of states) {
      const [one, id] = [key.split(' ')[0], Number(key.split(' ')[1])];
      const lost = one === kind && !before.get(name)?.has(id) ? lostOf(all) : undefined;
      if (!lost) continue;
      const is = after.get(name)?.get(id);
      if (!is && told(kind, id).length === 0) faults.push(`${kind} ${id}: stays away unsaid`);
      for (const [field, value] of Object.entries(is ? lost : {})) {
        if (isDerived(kind, field, lost ?? {}) && !/_at$/.test(field)) continue;
        if (same(is?.[field], value) || told(kind, id, field).length > 0) continue;
        // It comes back without what another still has, and gets it a moment later.
        if (field === 'updated_at' && kind === 'contact') continue;
        faults.push(`${kind} ${id}: came back with ${field} ${JSON.stringify(is?.[field])}`);
      }
    }
  }
  return [...faults, ...sumsOf(after)];
}

/** What a record was that the writer removed, less what else the writer did to it; undefined where somebody else removed it, or the writer made it. */
function lostOf(all: readonly State[] = []): Row | undefined {
  const lives = all.filter(({ before, after }) => !before !== !after).reverse();
  const others = lives.findIndex(({ own }) => !own);
  const first = (others === -1 ? lives : lives.slice(0, others)).at(-1);
  if (!first?.before) return undefined;
  const row: Record<string, unknown> = { ...first.before };
  const until = all.slice(0, all.indexOf(first)).filter((state) => state.before && state.after);
  for (const field of Object.keys(row)) {
    const kind = 'status' in row ? 'deal' : '';
    const group = groups[`${kind} ${field}`] ?? [field];
    for (const state of until.filter((one) => isChanged(one, group)).reverse()) {
      if (!state.own) break;
      row[field] = state.before?.[field];
    }
  }
  return { ...row, created_at: first.before.created_at, updated_at: first.before.updated_at };
}

const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** An assignee, or an event of the service, of a deal that stays. */
const cameWithDeal = (kind: string, row: Row, conflicts: readonly Conflict[]): boolean =>
  (kind === 'deal_assignee' || (kind === 'event' && row.kind !== 'note')) &&
  conflicts.some((one) => one.record_type === 'deal' && one.record_id === row.deal_id);

function isReferred(copy: Replica, kind: string, id: number): boolean {
  return Object.values(tables).some((name) =>
    [...(copy.get(name)?.values() ?? [])].some((row) => row[`${kind}_id`] === id),
  );
}

/** Totals that are not the sums, and places that are not 1 to n. */
function sumsOf(copy: Replica): readonly string[] {
  const faults: string[] = [];
  const lines = [...(copy.get('deal_products')?.values() ?? [])];
  for (const [id, deal] of copy.get('deals') ?? []) {
    const total = lines
      .filter((line) => line.deal_id === id)
      .reduce((sum, line) => sum + Number(line.total_amount_in_cents), 0);
    if (deal.total_deal_products_amount_in_cents !== total) faults.push(`deal ${id}: its total`);
  }
  for (const [name, by] of [
    ['deals', 'stage_id'],
    ['stages', 'pipeline_id'],
  ] as const) {
    for (const [list, rows] of listsOf(copy, name, by)) {
      const positions = rows.map((row) => row.position);
      if (!positions.every((position, at) => position === at + 1)) {
        faults.push(`${by} ${list}: has ${name} at ${positions}`);
      }
    }
  }
  return faults;
}

function listsOf(copy: Replica, name: string, by: string): Map<unknown, Row[]> {
  const lists = new Map<unknown, Row[]>();
  for (const row of copy.get(name)?.values() ?? []) {
    lists.set(row[by], [...(lists.get(row[by]) ?? []), row]);
  }
  for (const rows of lists.values()) {
    rows.sort((one, other) => Number(one.position) - Number(other.position));
  }
  return lists;
}

/** Ids of deals by stage, in their order. */
export const orderOf = (copy: Replica): readonly string[] =>
  [...(copy.get('deals') ?? [])]
    .sort(([, one], [, other]) => Number(one.position) - Number(other.position))
    .map(([id, row]) => `${row.stage_id} ${row.position} ${id}`)
    .sort();
