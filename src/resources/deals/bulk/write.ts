/** Writing changes of several deals together, with what comes of each after those before it. */
import type { UnitOfWork } from '../../../context/context.ts';
import { empty, raw, type Sql, sql } from '../../../db/sql/sql.ts';
import { Faults } from '../../../errors/errors.ts';
import { Portions } from '../../../lib/portions.ts';
import { changesBetween } from '../../audit/changes.ts';
import { auditEntries, auditText, creationOf } from '../../audit/entry.ts';
import { eventEntry } from '../../events/entry.ts';
import { events } from '../../events/record.ts';
import { type Row, rowsOf } from '../../kernel/batch/rows.ts';
import type { CurrentDeal } from '../current.ts';
import { type Plan, planDealChange } from '../plan.ts';
import { type MoveResult, Moves } from '../positions/moves.ts';
import { lockStages, type Orders, placedAs, rearranged } from '../positions/place.ts';
import { type DealFields, deals } from '../record.ts';
import { moveEvents } from '../update.ts';

/** A deal that is locked, and what is to become of it. */
export interface DealChange {
  readonly before: CurrentDeal;
  readonly fields: DealFields;
}

/**
 * Changes deals as `changeDeal` does, one after the other; none of them twice, and nothing may be
 * wrong with any.
 * @param orders of all stages that they may leave or enter, which are locked
 */
export async function changeDeals(
  ctx: UnitOfWork,
  changes: readonly DealChange[],
  orders: Orders,
): Promise<void> {
  if (changes.length === 0) return;
  const portions = new Portions(ctx.viewer.accountId);
  let moves = new Moves(orders, new Map(changes.map(({ before }) => [before.id, before])));
  let rows: DealWrite[] = [];
  const write = async () => {
    const { changed } = moves;
    await writeRows(ctx, rows, changed.size > 0 ? sql`${placedAs(ctx, changed)},` : empty);
    rows = [];
  };
  for (const { before: seen, fields } of changes) {
    const before = { ...seen, ...moves.places.get(seen.id) };
    const plan = planDealChange(before, fields, ctx.now, new Faults(), moves.orders);
    const { after } = plan;
    if (after.contact_id !== before.contact_id) await moveEvents(ctx, before, after);
    const stays = before.stage_id === after.stage_id && before.position === after.position;
    // A move among many takes a tenth of a millisecond, of which a batch has up to a thousand.
    const [moved] = stays ? [] : await portions.map([before.id], (id) => moves.move(id, after));
    if (stays || moved) {
      rows.push({ before, plan, ...moved });
      continue;
    }
    // It takes the places of others, whose ranks only the database knows: these are written before.
    await write();
    const current = await lockStages(ctx, [...orders.keys()]);
    const { steps, entries, rank } = await rearranged(ctx, current, [before], after);
    await writeRows(ctx, [{ before, plan, rank }], sql`${steps},`, entries);
    moves.note(before.id, after);
    moves = new Moves(await lockStages(ctx, [...orders.keys()]), moves.places);
  }
  await write();
}

/** A change to be written; a rank where the deal gets another place. */
interface DealWrite extends Partial<MoveResult> {
  readonly before: CurrentDeal;
  readonly plan: Plan;
}

const rows = rowsOf(
  deals,
  {
    ...{ id: 'bigint', n: 'bigint', rank: 'double precision', before: 'text', after: 'text' },
    ...{ kind: 'text', attributes: 'json' },
  },
  deals.written,
);
const assigned = raw(deals.written.map((of) => `"${of}" = sent.${rows.value(of)}`).join(', '));

/**
 * The entries of each change, in their order: how others shift, and then how the deal itself differs. Anyone
 * who derives places from the entries thus arrives at the same places.
 */
const updates = raw(
  `SELECT action, record_type, id, before, after, at, NULL::json FROM (
    SELECT 'stage.reorder' AS action, 'stage' AS record_type, stage_id AS id, before, after, moment() AS at, n, 0 AS own
    FROM shifted UNION ALL
    SELECT 'deal.update', 'deal', id, before::json, after::json, updated_at, n, 1 FROM written ORDER BY n, own) AS updated`,
);

/**
 * @param first WITH queries to run first, each followed by a comma
 * @param earlier entries that precede those of the deals
 */
async function writeRows(
  ctx: UnitOfWork,
  written: readonly DealWrite[],
  first: Sql,
  earlier: readonly Sql[] = [],
): Promise<void> {
  const values = written.flatMap(rowOf);
  if (values.length === 0) return;
  const shifted = written.flatMap(({ shifted = [] }, n) =>
    shifted.map(({ stage_id, was, is }) => {
      return { n, stage_id, before: { positions: was }, after: { positions: is } };
    }),
  );
  await ctx.db.query(
    sql`WITH ${first} shifted AS (
        SELECT * FROM json_to_recordset(${JSON.stringify(shifted)}::json) AS r (n bigint, stage_id bigint, before json, after json)
      ), sent AS MATERIALIZED (SELECT * FROM ${rows.from(values)}
      ), written AS (
        UPDATE deals AS d SET ${assigned}, updated_at = moment(), rank = coalesce(floor(sent.rank)::integer, d.rank),
          rank_fraction = coalesce(sent.rank - floor(sent.rank), d.rank_fraction)
        FROM sent WHERE d.account_id = ${ctx.viewer.accountId} AND d.id = sent.id
        RETURNING d.id, d.contact_id, d.updated_at, sent.n, sent.before, sent.after, sent.kind, sent.attributes
      ), happened AS (SELECT * FROM written WHERE kind IS NOT NULL ORDER BY n
      ), event AS (${eventEntry(ctx.viewer, raw('happened.kind'), 'happened', raw('happened.attributes'))})
      ${auditEntries(ctx, ...earlier, updates, creationOf(events, 'event'))}`,
  );
}

/** Nothing is written of a deal of which nothing differs. */
function rowOf({ before, plan: { after, event }, rank }: DealWrite, n: number): Row[] {
  const changes = changesBetween<typeof after>(before, after);
  if (!changes) return [];
  const { id } = before;
  const texts = { before: auditText(changes.before), after: auditText(changes.after) };
  return [{ ...after, id, n, rank, ...texts, ...event }];
}
