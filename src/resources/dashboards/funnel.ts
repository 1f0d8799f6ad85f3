import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { Faults, notFound } from '../../errors/errors.ts';
import type { FunnelStage, QueryPipeline_FunnelArgs } from '../../generated/graphql.ts';
import { compileWhere } from '../../search/compile.ts';
import { Joins } from '../../search/joins.ts';
import { refusingZone } from '../kernel/fields/time_zone.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import { requireRecord } from '../kernel/read/record.ts';
import { shapes } from '../shapes.ts';
import { momentOf } from './deal_groupings.ts';
import { readUnsortedQuery } from './query.ts';
import { readSpan, spanConditions } from './span.ts';
import { stageHistory } from './stage_history.ts';

/**
 * How far the deals that match came in a pipeline, according to their events, in one statement.
 * @returns its stages in their order
 * @throws {Fault} NOT_FOUND; INVALID_SEARCH
 */
export async function pipelineFunnel(
  ctx: Context,
  account: unknown,
  pipeline: unknown,
  { query, ...given }: Omit<QueryPipeline_FunnelArgs, 'account_id' | 'pipeline_id'>,
): Promise<FunnelStage[]> {
  const accountId = authorize(ctx.viewer, account, 'deal.read');
  authorize(ctx.viewer, account, 'pipeline.read');
  const pipelineId = readId(pipeline);
  const faults = new Faults('INVALID_SEARCH');
  const search = readUnsortedQuery(ctx, query, 'deals', faults);
  const span = readSpan(given, accountId, faults);
  if (faults.any) await requireRecord(ctx, 'pipelines', pipelineId);
  faults.throwIfAny();
  const deals = new Joins({ shape: shapes.deals, alias: 'r' }, shapes, accountId);
  const where = sql`${compileWhere(search, 'r', shapes, accountId)} ${spanConditions(span, deals.valueOf(momentOf(given.on)))}`;
  const read = await readAnswer<FunnelStage[]>(ctx, {
    query: () => funnelStatement(accountId, pipelineId, where),
    text: 'stages',
  }).catch(refusingZone(faults));
  if (!read) throw notFound();
  return read.value;
}

/** What ends a deal. */
const closings = raw(`('deal_won', 'deal_lost')`);

/**
 * The funnel in one statement. A deal has reached every stage up to the furthest it ever stood in.
 *
 * A deal's way is the list of its events that name a stage. It stays at one from each of them to the
 * next while it is open: since it was reopened or created, unless what comes first after its creation
 * is that it is reopened, for then it was created as won or lost. What became of it in the end belongs
 * to the stage of its last closing.
 * @param where conditions on the deals, as `r`
 * @returns SQL of one row: `stages`, the JSON of a list in their order; none without the pipeline
 */
function funnelStatement(accountId: number, pipelineId: number, where: Sql): Sql {
  return sql`WITH ${stageHistory(accountId, pipelineId, where)}, ways AS (
      SELECT *, lead(since) OVER until_now AS until,
        max(id) FILTER (WHERE kind IN ${closings}) OVER until_now AS closed,
        max(id) FILTER (WHERE kind = 'deal_reopened') OVER until_now AS reopened,
        min(id) FILTER (WHERE kind IN ${closings}) OVER always AS first_closed,
        max(id) FILTER (WHERE kind IN ${closings}) OVER always AS last_closed,
        min(id) FILTER (WHERE kind = 'deal_reopened') OVER always AS first_reopened
      FROM moves
      WINDOW always AS (PARTITION BY deal_id),
        until_now AS (PARTITION BY deal_id ORDER BY id ROWS UNBOUNDED PRECEDING)
    ), stays AS (
      SELECT *, CASE
          WHEN closed IS NOT NULL OR reopened IS NOT NULL THEN coalesce(reopened > closed, closed IS NULL)
          WHEN first_closed IS NULL AND first_reopened IS NULL THEN status = 'open'
          ELSE coalesce(first_closed < first_reopened, first_reopened IS NULL)
        END AS is_open,
        status <> 'open' AND (id = last_closed OR kind = 'deal_opened' AND last_closed IS NULL) AS is_end
      FROM ways
    ), visits AS (
      SELECT deal_id, stage_id, bool_or(is_end AND status = 'won') AS won, bool_or(is_end AND status = 'lost') AS lost,
        CASE WHEN NOT bool_or(is_open AND until IS NULL) THEN
          sum(greatest(date_part('epoch', until - since), 0)) FILTER (WHERE is_open) / 86400 END AS days
      FROM stays WHERE stage_id IS NOT NULL GROUP BY deal_id, stage_id
    ), figures AS (
      SELECT stage_id, count(*) FILTER (WHERE won) AS won, count(*) FILTER (WHERE lost) AS lost,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY days) AS median_days
      FROM visits GROUP BY stage_id
    ), counted AS (
      SELECT furthest, count(*) AS deals FROM reached GROUP BY furthest
    )
    SELECT (
      SELECT coalesce(json_agg(json_build_object('stage_id', steps.id, 'stage_name', steps.name,
        'reached', (SELECT coalesce(sum(deals), 0) FROM counted WHERE furthest >= position),
        'went_on', (SELECT coalesce(sum(deals), 0) FROM counted WHERE furthest > position), 'won', coalesce(won, 0),
        'lost', coalesce(lost, 0), 'median_days', median_days) ORDER BY position), '[]'::json)
      FROM steps LEFT JOIN figures ON figures.stage_id = steps.id
    )::text AS stages
    FROM pipelines WHERE account_id = ${accountId} AND id = ${pipelineId}`;
}
