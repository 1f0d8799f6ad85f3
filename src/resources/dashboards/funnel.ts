import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import { sql } from '../../db/sql/sql.ts';
import { Faults, notFound } from '../../errors/errors.ts';
import type { FunnelStage, QueryPipeline_FunnelArgs } from '../../generated/graphql.ts';
import { compileWhere } from '../../search/compile.ts';
import { Joins } from '../../search/joins.ts';
import { refusingZone } from '../kernel/fields/time_zone.ts';
import { readAnswer } from '../kernel/read/answer.ts';
import { requireRecord } from '../kernel/read/record.ts';
import { shapes, summarised } from '../shapes.ts';
import { momentOf } from './deal_groupings.ts';
import { funnelStatement } from './funnel_statement.ts';
import { readDealQuery } from './query.ts';
import { readSpan, within } from './span.ts';

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
  const search = readDealQuery(ctx, query, faults);
  const span = readSpan(given, accountId, faults);
  if (faults.any) await requireRecord(ctx, 'pipelines', pipelineId);
  faults.throwIfAny();
  const deals = new Joins({ shape: summarised.deals, alias: 'r' }, summarised, accountId);
  const moment = deals.valueOf(momentOf(given.on));
  const where = sql`${compileWhere(search, 'r', shapes, accountId)} ${within(span, moment)}`;
  const read = await readAnswer<FunnelStage[]>(ctx, {
    query: () => funnelStatement(accountId, pipelineId, where),
    text: 'stages',
  }).catch(refusingZone(faults));
  if (!read) throw notFound();
  return read.value;
}
