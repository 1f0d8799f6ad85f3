/** Deals of a batch that are created together, at the ends of their stages. */
import { faultsOf, type UnitOfWork } from '../../../context/context.ts';
import { raw, sql } from '../../../db/sql/sql.ts';
import { auditEntries } from '../../audit/entry.ts';
import { faultsOr } from '../../kernel/batch/plain.ts';
import { rowsOf } from '../../kernel/batch/rows.ts';
import type { BulkUseCase } from '../../kernel/batch/verb.ts';
import { inConflictFreeRounds } from '../../kernel/batch/waves.ts';
import { readFields } from '../../kernel/fields/input.ts';
import { comingAlong, entries } from '../create.ts';
import { planNewDeal } from '../plan.ts';
import { type DealValues, deals } from '../record.ts';
import { lookUpReferences } from '../references.ts';

/** Creates deals, as `createDeal` does one. Those that want a place of their own are created one by one. */
export const createDeals: BulkUseCase = async (ctx, items) => {
  const drafts = items.map(({ record, misplaced }) => {
    const faults = faultsOf({ misplaced });
    return { fields: readFields(record, deals.fields, faults), faults };
  });
  if (drafts.some(({ fields }) => fields.position)) return undefined;
  return inConflictFreeRounds(drafts, {
    look: (part) =>
      lookUpReferences(
        ctx,
        part.map(({ fields }) => fields),
        true,
      ),
    plan: ({ fields, faults }, { stages, contacts }) => {
      const { stage_id = 0, contact_id = 0 } = fields;
      const references = {
        pipelineId: stages.get(stage_id)?.pipeline_id ?? null,
        hasContact: contacts.has(contact_id),
      };
      const deal = planNewDeal(fields, contact_id, references, ctx.now, faults);
      return { ...faultsOr(faults, deal), touches: [] };
    },
    write: async (records) => (await insertDeals(ctx, records)).map((id) => ({ status: 201, id })),
  });
};

const rows = rowsOf(deals, { n: 'bigint', nth: 'bigint' }, deals.written);
const columns = raw(deals.written.map((column) => `"${column}"`).join(', '));
const values = raw(deals.written.map((column) => `sent.${rows.value(column)}`).join(', '));

/**
 * Inserts deals at the ends of their stages, which are locked.
 * @returns the ids of the new deals, in their order
 */
export async function insertDeals(
  ctx: UnitOfWork,
  records: readonly DealValues[],
): Promise<readonly number[]> {
  if (records.length === 0) return [];
  const { accountId, userId } = ctx.viewer;
  const counts = new Map<number, number>();
  const numbered = records.map((record, n) => {
    const nth = (counts.get(record.stage_id) ?? 0) + 1;
    counts.set(record.stage_id, nth);
    return { ...record, n, nth };
  });
  const growing = [...counts].map(([id, count]) => ({ id, count }));
  const inserted = await ctx.db.query<{ id: number }>(
    sql`WITH place AS (
        UPDATE stages AS s SET deals_count = s.deals_count + o.count
        FROM json_to_recordset(${JSON.stringify(growing)}::json) AS o (id bigint, count integer), pipelines AS p
        WHERE s.account_id = ${accountId} AND s.id = o.id AND p.account_id = ${accountId} AND p.id = s.pipeline_id
        RETURNING s.id AS stage_id, s.name AS stage_name, p.id AS pipeline_id, p.name AS pipeline_name,
          s.deals_count - o.count AS deals_before, s.ranks_ahead
      ), written AS (
        INSERT INTO deals (account_id, ${columns}, created_by_id, rank, rank_fraction, created_at, updated_at)
        SELECT ${accountId}::bigint, ${values}, ${userId}::bigint, place.deals_before + sent.nth + place.ranks_ahead, 0, clock, clock
        FROM (SELECT *, moment() AS clock FROM ${rows.from(numbered)} OFFSET 0) AS sent
        JOIN place ON place.stage_id = sent.stage_id ORDER BY n
        RETURNING *, rank - (SELECT ranks_ahead FROM place WHERE place.stage_id = deals.stage_id) AS position
      ), ${comingAlong(ctx, raw('written.name'), raw(' WHERE place.stage_id = written.stage_id'))},
      audit AS (${auditEntries(ctx, ...entries)}) SELECT id FROM written ORDER BY id`,
  );
  return inserted.map(({ id }) => id);
}
