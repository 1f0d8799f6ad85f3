/**
 * Writes what a plan says, with an entry of each record that it changes: within the transaction
 * that locked them.
 */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { castOf } from '../../db/sql/shape.ts';
import { empty, join, name, raw, sql } from '../../db/sql/sql.ts';
import type { Portions } from '../../lib/portions.ts';
import { auditEntries, entriesOf } from '../audit/entry.ts';
import type { Order } from '../deals/positions/pieces.ts';
import { placedAs, rankSet } from '../deals/positions/place.ts';
import { removal } from '../kernel/write/removal.ts';
import { shapes } from '../shapes.ts';
import { returnAliases } from './aliases.ts';
import type { Contents } from './contents.ts';
import type { RestoredValues } from './draft.ts';
import { insertRevived } from './insert.ts';
import { type Kind, tableOf } from './kinds.ts';
import type { Lists } from './lines.ts';
import { shifts } from './places.ts';
import type { Plan } from './plan.ts';
import { ranked } from './ranks.ts';
import { asObject, columnsOf } from './values.ts';

/**
 * Writes the plan, in an order that keeps every reference and key valid. Shifts are recorded first. Deals are
 * removed while their stages still know where they stood; contacts and stages once nothing refers to them. What
 * comes back is there before anything refers to it. A contact gets an e-mail address back once the contact that
 * had taken it is gone.
 */
export async function write(
  ctx: UnitOfWork,
  plan: Plan,
  contents: Contents,
  portions: Portions,
): Promise<void> {
  await tellShifts(ctx, plan, 'deal', contents.deals, portions);
  await tellShifts(ctx, plan, 'stage', contents.stages, portions);
  for (const kind of ['event', 'deal_assignee', 'deal_product', 'deal'] as const) {
    await remove(ctx, plan, kind);
  }
  await insertRevived(ctx, plan);
  for (const kind of [
    'pipeline',
    'product',
    'deal',
    'deal_product',
    'deal_assignee',
    'event',
  ] as const) {
    await restore(ctx, plan, kind);
  }
  await placeDeals(ctx, plan, contents, portions);
  for (const kind of ['stage', 'pipeline', 'product', 'contact'] as const) {
    await remove(ctx, plan, kind);
  }
  await restore(ctx, plan, 'stage');
  await placeStages(ctx, plan, contents);
  await freeContacts(ctx, plan);
  await restore(ctx, plan, 'contact');
  await returnAliases(ctx, plan);
}

const idsOf = ({ removed }: Plan, kind: Kind): number[] => [...(removed.get(kind) ?? [])];

async function remove(ctx: UnitOfWork, plan: Plan, kind: Kind): Promise<void> {
  const ids = idsOf(plan, kind);
  if (ids.length === 0) return;
  const { steps, entries } = removal(ctx, tableOf[kind], sql`id = ANY(${ids}::bigint[])`);
  await ctx.db.query(sql`WITH ${steps} ${auditEntries(ctx, ...entries)}`, adhoc);
}

/** Writes the values of records of a kind: in one statement those that get values of the same columns. */
async function restore(ctx: UnitOfWork, plan: Plan, kind: Kind): Promise<void> {
  const columns = columnsOf(kind);
  const sets = new Map<string, [number, RestoredValues][]>();
  for (const one of plan.restored.get(kind) ?? []) {
    const key = [...one[1].after.keys()]
      .filter((field) => field in columns)
      .sort()
      .join(' ');
    sets.set(key, [...(sets.get(key) ?? []), one]);
  }
  for (const [key, records] of sets) {
    await restoreSome(ctx, kind, key === '' ? [] : key.split(' '), records);
  }
}

async function restoreSome(
  ctx: UnitOfWork,
  kind: Kind,
  fields: readonly string[],
  records: readonly (readonly [number, RestoredValues])[],
): Promise<void> {
  const texts = records.map(([id, { before, after }]) =>
    asObject([
      ['id', String(id)],
      ['before', asObject(before)],
      ['after', asObject(after)],
      ...fields.map((field) => [`to_${field}`, after.get(field) ?? 'null'] as const),
    ]),
  );
  const shape = shapes[tableOf[kind]];
  const types = fields.map((field) => raw(`"to_${field}" ${castOf(shape, field)}`));
  const set = fields.map((field) => sql`${name(field)} = sent.${name(`to_${field}`)}, `);
  await ctx.db.query(
    sql`WITH sent AS (
        SELECT * FROM json_to_recordset(${`[${texts.join(',')}]`}::json) AS sent
          (id bigint, before json, after json${types.length > 0 ? sql`, ${join(types, ', ')}` : empty})
      ), written AS (
        UPDATE ${name(tableOf[kind])} AS r SET ${set.length > 0 ? join(set, '') : empty}updated_at = moment() FROM sent
        WHERE r.account_id = ${ctx.viewer.accountId} AND r.id = sent.id
        RETURNING r.id, r.updated_at, sent.before, sent.after
      ) ${auditEntries(ctx, entriesOf(`${kind}.update`, 'written', changes))}`,
    adhoc,
  );
}

const changes = { before: raw('written.before'), after: raw('written.after') };

/** Those whose place has entries of its own. */
const movedOf = ({ restored, removed }: Plan, kind: 'deal' | 'stage'): ReadonlySet<number> =>
  new Set([
    ...(removed.get(kind) ?? []),
    ...[...(restored.get(kind) ?? [])].flatMap(([id, { after }]) =>
      after.has('position') || after.has('stage_id') ? id : [],
    ),
  ]);

async function tellShifts(
  ctx: UnitOfWork,
  plan: Plan,
  kind: 'deal' | 'stage',
  before: Lists,
  portions: Portions,
): Promise<void> {
  const moved = movedOf(plan, kind);
  const after = kind === 'deal' ? plan.deals : plan.stages;
  const rows: object[] = [];
  for (const [id, members] of before) {
    const shifted = await shifts(members, after.get(id) ?? [], moved, portions);
    if (shifted.before.length === 0) continue;
    rows.push({ id, before: { positions: shifted.before }, after: { positions: shifted.after } });
  }
  if (rows.length === 0) return;
  const action = kind === 'deal' ? 'stage.reorder' : 'pipeline.reorder';
  await ctx.db.query(
    sql`WITH written AS (
        SELECT id, before, after, moment() AS updated_at
        FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id bigint, before json, after json)
      ) ${auditEntries(ctx, entriesOf(action, 'written', changes))}`,
    adhoc,
  );
}

/** Gives the stages their orders, and the deals that moved their ranks. */
async function placeDeals(
  ctx: UnitOfWork,
  plan: Plan,
  { deals, ranks }: Contents,
  portions: Portions,
): Promise<void> {
  const orders = new Map<number, Order>();
  const changed: { id: number; rank: number }[] = [];
  for (const [id, members] of plan.deals) {
    const before = deals.get(id) ?? [];
    if (members.length === before.length && members.every((one, at) => before[at] === one))
      continue;
    const ranksBefore = new Map<number, number>();
    await portions.each(members, (one) => {
      const rank = plan.moved.has(one) ? undefined : ranks.get(one);
      if (rank !== undefined) ranksBefore.set(one, rank);
    });
    const placed = ranked(members, ranksBefore);
    orders.set(id, placed.order);
    for (const [one, rank] of placed.ranks) changed.push({ id: one, rank });
  }
  if (orders.size === 0) return;
  await ctx.db.query(
    sql`WITH ${placedAs(ctx, orders)}
      UPDATE deals AS d SET ${rankSet(raw('r.rank'))}
      FROM json_to_recordset(${JSON.stringify(changed)}::json) AS r (id bigint, rank double precision)
      WHERE d.account_id = ${ctx.viewer.accountId} AND d.id = r.id`,
    adhoc,
  );
}

/** Gives the stages that stay their positions; those that moved have them already. */
async function placeStages(
  ctx: UnitOfWork,
  { stages }: Plan,
  { stages: before }: Contents,
): Promise<void> {
  const rows = [...stages].flatMap(([pipeline, members]) =>
    members.flatMap((id, at) =>
      before.get(pipeline)?.[at] === id ? [] : { id, position: at + 1 },
    ),
  );
  if (rows.length === 0) return;
  await ctx.db.query(
    sql`UPDATE stages AS s SET position = r.position
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS r (id bigint, position integer)
      WHERE s.account_id = ${ctx.viewer.accountId} AND s.id = r.id`,
    adhoc,
  );
}

/** Empties what contacts give up, so that others of the same statement can get it in any order. */
async function freeContacts(ctx: UnitOfWork, { restored }: Plan): Promise<void> {
  for (const field of ['email', 'phone'] as const) {
    const ids = [...(restored.get('contact') ?? [])].flatMap(([id, { after }]) =>
      after.has(field) ? id : [],
    );
    if (ids.length === 0) continue;
    await ctx.db.query(
      sql`UPDATE contacts SET ${name(field)} = '' WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${ids}::bigint[])`,
      adhoc,
    );
  }
}
