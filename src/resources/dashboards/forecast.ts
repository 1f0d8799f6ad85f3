import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { localTime } from '../../db/sql/timestamp.ts';
import { Faults, notFound } from '../../errors/errors.ts';
import type { ForecastStage, QueryPipeline_ForecastArgs } from '../../generated/graphql.ts';
import { compileWhere } from '../../search/compile.ts';
import { refusingZone } from '../kernel/fields/time_zone.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import { readLimit } from '../kernel/read/limit.ts';
import { requireRecord } from '../kernel/read/record.ts';
import { shapes } from '../shapes.ts';
import { readUnsortedQuery, requireExact } from './query.ts';
import { readSpan } from './span.ts';
import { stageHistory } from './stage_history.ts';

/** Months of history at most, and unless given. */
const months = { max: 120, usual: 12 };

/**
 * What the open deals of a pipeline are expected to bring, by the share of deals won among those that had reached
 * their stage and were closed in the last months, in one statement.
 * @returns its stages in their order
 * @throws {Fault} NOT_FOUND; INVALID_SEARCH; VALIDATION_FAILED for a sum beyond 2^53-1
 */
export async function pipelineForecast(
  ctx: Context,
  account: unknown,
  pipeline: unknown,
  { query, ...given }: Omit<QueryPipeline_ForecastArgs, 'account_id' | 'pipeline_id'>,
): Promise<ForecastStage[]> {
  const accountId = authorize(ctx.viewer, account, 'deal.read');
  authorize(ctx.viewer, account, 'pipeline.read');
  const pipelineId = readId(pipeline);
  const faults = new Faults('INVALID_SEARCH');
  const search = readUnsortedQuery(ctx, query, 'deals', faults);
  const back = readLimit('months', given.months, months.max, faults) ?? months.usual;
  const { zone } = readSpan(given, accountId, faults);
  if (faults.any) await requireRecord(ctx, 'pipelines', pipelineId);
  faults.throwIfAny();
  const closed = sql`coalesce(r.won_at, r.lost_at)`;
  const today = sql`(${localTime(sql`${ctx.now}::timestamptz`, zone)})::date`;
  // No clock is a day off UTC: what is farther away is told by the moment alone.
  const wasClosed = sql`r.status <> 'open'
    AND ${closed} >= ${ctx.now}::timestamptz - ${`${back} months 3 days`}::interval
    AND ${localTime(closed, zone)} >= ${today} - ${`${back} months`}::interval
    AND ${localTime(closed, zone)} < ${today} + interval '1 day'`;
  const read = await readAnswer<ForecastStage[]>(ctx, {
    query: () => sql`WITH ${stageHistory(accountId, pipelineId, wasClosed)}, open AS (
        SELECT stage_id, count(*) AS deals, sum(total_deal_products_amount_in_cents) AS sum FROM deals AS r
        WHERE r.account_id = ${accountId} AND r.pipeline_id = ${pipelineId} AND r.status = 'open'
          AND ${compileWhere(search, 'r', shapes, accountId)} GROUP BY stage_id
      ), counted AS (
        SELECT furthest, count(*) AS deals, count(*) FILTER (WHERE status = 'won') AS won FROM reached GROUP BY furthest
      ), figures AS (
        SELECT steps.*, coalesce(open.deals, 0) AS open, coalesce(open.sum, 0) AS sum, history.closed, history.won
        FROM steps LEFT JOIN open ON open.stage_id = steps.id CROSS JOIN LATERAL (
          SELECT coalesce(sum(deals), 0) AS closed, coalesce(sum(counted.won), 0) AS won
          FROM counted WHERE furthest >= position
        ) AS history
      )
      SELECT (
        SELECT coalesce(json_agg(json_build_object('stage_id', id, 'stage_name', name, 'open', open, 'sum_in_cents', sum,
          'closed', closed, 'won', won, 'expected_in_cents', round(sum * won / nullif(closed, 0))) ORDER BY position), '[]'::json)
        FROM figures
      )::text AS stages
      FROM pipelines WHERE account_id = ${accountId} AND id = ${pipelineId}`,
    text: 'stages',
  }).catch(refusingZone(faults));
  if (!read) throw notFound();
  for (const { sum_in_cents } of read.value) requireExact(sum_in_cents);
  return read.value;
}
