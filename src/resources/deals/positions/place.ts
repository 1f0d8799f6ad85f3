/**
 * Places of deals within a stage: 1 to n, without gaps or repeats. Whatever changes places of a
 * stage holds the lock of the stage's row, which tells its order.
 */
import type { UnitOfWork } from '../../../context/context.ts';
import { conflict } from '../../../db/errors.ts';
import { raw, type Sql, sql } from '../../../db/sql/sql.ts';
import { entriesOf } from '../../audit/entry.ts';
import { clock } from '../../kernel/write/moment.ts';
import { compacted, countedAround, withPiecesByRule } from './compaction.ts';
import { without, withRoom } from './order.ts';
import { type OrderRow, orderColumns, orderOf, rowOf } from './order_row.ts';
import type { Order } from './pieces.ts';
import { type Reranking, rerankings } from './rerankings.ts';
import { type Shifts, shifts } from './shifts.ts';

export interface Place {
  readonly stage_id: number;
  readonly position: number;
}

export type Orders = ReadonlyMap<number, Order>;

/**
 * Locks stages, in the order of their ids so that no two calls wait for each other.
 * @returns how the deals stand in each
 */
export async function lockStages(ctx: UnitOfWork, ids: readonly number[]): Promise<Orders> {
  const rows = await ctx.db.query<OrderRow & { id: number }>(
    sql`SELECT id, ${orderColumns} FROM stages
        WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${ids}::bigint[])
        ORDER BY id FOR NO KEY UPDATE`,
  );
  return new Map(rows.map((row) => [row.id, orderOf(row)]));
}

/**
 * Where a deal lands.
 * @param position the place asked for; null for the end, undefined when none was asked for
 * @param orders of the stages locked
 */
export function landing(
  from: Place,
  stageId: number,
  position: number | null | undefined,
  orders: Orders,
): Place {
  const stays = from.stage_id === stageId;
  if (stays && position === undefined) return from;
  const { count } = orderIn(orders, stageId);
  const last = stays ? count : count + 1;
  return { stage_id: stageId, position: Math.min(position ?? last, last) };
}

/** What is to be written when deals come and go. */
export interface Rearrangement {
  /** WITH queries for all but the deals themselves that leave or come. */
  readonly steps: Sql;
  /** What the audit trail tells of the others, whose positions shift. */
  readonly entries: readonly Sql[];
  /** Of the deal that comes. */
  readonly rank: number;
}

/**
 * Takes deals out of stages and puts one in; the stages must be locked.
 * @param gone of each stage, the places of those that leave it
 * @param come where one comes, once the others have left
 */
export async function rearranged(
  ctx: UnitOfWork,
  orders: Orders,
  gone: readonly Place[],
  come?: Place,
): Promise<Rearrangement> {
  const stages = new Set([...gone, ...(come ? [come] : [])].map(({ stage_id }) => stage_id));
  let rank = 0;
  const changed: StageChange[] = [];
  for (const id of stages) {
    const before = orderIn(orders, id);
    const leaving = gone.filter(({ stage_id }) => stage_id === id).map(({ position }) => position);
    leaving.sort((one, other) => one - other);
    // A plan of what cannot be might never end.
    const isRight = (place: number, at: number) =>
      place > (leaving[at - 1] ?? 0) && place <= before.count;
    if (!leaving.every(isRight)) throw new Error(`stage ${id} has lost the order of its deals`);
    if (come?.stage_id !== id) {
      const after = compacted(without(before, leaving));
      changed.push({ id, after, rerankings: [], ...shifts(before.count, leaving) });
      continue;
    }
    const room = await makeRoom(ctx, id, before, leaving, come.position);
    rank = room.rank;
    const moved = rerankings(room.before, room.after, leaving, come.position);
    const shifted = shifts(before.count, leaving, come.position);
    changed.push({ id, after: compacted(room.after), rerankings: moved, ...shifted });
  }
  const rows = changed.map(({ id, after, was, is }) => ({ id, was, is, ...rowOf(after) }));
  const moves = changed.flatMap(({ id, rerankings }) =>
    rerankings.map((each) => ({ stage_id: id, ...each })),
  );
  const placed = placing(ctx, rows);
  const steps = moves.length === 0 ? placed : sql`${placed}, ${reranked(ctx, moves)}`;
  return { steps, entries: changed.some(({ was }) => was.length > 0) ? reordered : [], rank };
}

/** A WITH query that gives stages their orders, and returns what it is given of the positions that shift. */
const placing = (ctx: UnitOfWork, rows: readonly (OrderRow & Partial<Shifts>)[]): Sql =>
  sql`placed AS (
      UPDATE stages AS s SET deals_count = o.deals_count, ranks_ahead = o.ranks_ahead,
        piece_ranks = o.piece_ranks, piece_places = o.piece_places, piece_steps = o.piece_steps
      FROM json_to_recordset(${JSON.stringify(rows)}::json) AS o (id bigint, deals_count integer, ranks_ahead integer,
        piece_ranks double precision[], piece_places integer[], piece_steps double precision[], was json, "is" json)
      WHERE s.account_id = ${ctx.viewer.accountId} AND s.id = o.id
      RETURNING s.id, o.was, o."is"
    )`;

/** A WITH query that gives stages orders which were reckoned beforehand; the stages must be locked. */
export const placedAs = (ctx: UnitOfWork, orders: Orders): Sql =>
  placing(
    ctx,
    [...orders].map(([id, order]) => ({ id, ...rowOf(order) })),
  );

/** A stage whose order changes. */
interface StageChange extends Shifts {
  readonly id: number;
  readonly after: Order;
  readonly rerankings: readonly Reranking[];
}

const reordered = [
  entriesOf(
    'stage.reorder',
    'placed',
    {
      before: raw(`json_build_object('positions', placed.was)`),
      after: raw(`json_build_object('positions', placed."is")`),
    },
    { at: clock, where: raw('json_array_length(placed.was) > 0') },
  ),
];

/** Looks up ranks of deals that are counted, around the place in question and as far as it takes. */
async function makeRoom(
  ctx: UnitOfWork,
  stageId: number,
  order: Order,
  leaving: readonly number[],
  position: number,
): Promise<{ before: Order; after: Order; rank: number }> {
  let before = order;
  for (let reach = 1; ; reach *= 64) {
    const ranks = countedAround(before, position - reach, position + leaving.length + reach);
    if (ranks) {
      const { from, to } = ranks;
      const rows = await ctx.db.query<{ rank: number }>(
        sql`SELECT rank + rank_fraction AS rank FROM deals
          WHERE account_id = ${ctx.viewer.accountId} AND stage_id = ${stageId}
            AND rank BETWEEN floor(${from}::double precision)::integer AND floor(${to}::double precision)::integer
            AND rank + rank_fraction >= ${from} AND rank + rank_fraction < ${to}
          ORDER BY deals.rank, rank_fraction`,
      );
      before = withPiecesByRule(
        before,
        ranks,
        rows.map(({ rank }) => rank),
      );
    }
    const room = withRoom(without(before, leaving), position);
    if (room) return { before, after: room.order, rank: room.rank };
    // All of them were looked up.
    if (reach > order.count) throw new Error(`stage ${stageId} has lost the order of its deals`);
  }
}

/** WITH queries that give deals other ranks, which others of the same statement may leave. */
const reranked = (
  ctx: UnitOfWork,
  moves: readonly (Reranking & { readonly stage_id: number })[],
): Sql =>
  sql`moving AS MATERIALIZED (
      SELECT d.id, move.start + (d.rank + d.rank_fraction - move.low) * move.factor AS rank
      FROM json_to_recordset(${JSON.stringify(moves)}::json) AS move (stage_id bigint, low double precision,
        high double precision, start double precision, factor double precision)
      CROSS JOIN LATERAL (
        SELECT id, rank, rank_fraction FROM deals
        WHERE account_id = ${ctx.viewer.accountId} AND stage_id = move.stage_id
          AND rank BETWEEN floor(move.low)::integer AND floor(move.high)::integer
          AND rank + rank_fraction BETWEEN move.low AND move.high
        OFFSET 0
      ) AS d
    ), moved AS (
      UPDATE deals AS d SET ${rankSet(raw('moving.rank'))} FROM moving
      WHERE d.account_id = ${ctx.viewer.accountId} AND d.id = moving.id
        AND d.id = ANY(ARRAY(SELECT id FROM moving))
    )`;

/** Sets a deal's rank, of which the column holds the whole part. */
export const rankSet = (rank: Sql): Sql =>
  sql`rank = floor(${rank})::integer, rank_fraction = ${rank} - floor(${rank})`;

function orderIn(orders: Orders, stageId: number): Order {
  const order = orders.get(stageId);
  if (!order) throw conflict();
  return order;
}
