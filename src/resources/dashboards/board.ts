import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { join, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { Faults, notFound } from '../../errors/errors.ts';
import type { QueryPipeline_BoardArgs } from '../../generated/graphql.ts';
import type { JsonText } from '../../json/json.ts';
import { compileWhere } from '../../search/compile.ts';
import type { Search } from '../../search/search.ts';
import { divider, readTexts } from '../kernel/read/answer.ts';
import { readLimit } from '../kernel/read/limit.ts';
import { requireRecord, select } from '../kernel/read/record.ts';
import type { RecordResult, RecordValues } from '../kernel/read/record_result.ts';
import { shapes } from '../shapes.ts';
import { readUnsortedQuery, requireExact } from './query.ts';

/** A pipeline as a board of columns. */
interface Board {
  readonly pipeline: RecordResult;
  readonly stages: BoardColumn[];
}

export interface BoardColumn {
  readonly stage: RecordResult;
  /** Number of deals in the stage that match. */
  readonly count: number;
  readonly sum_in_cents: number;
  /** The first of them, in their order. */
  readonly deals: RecordValues[] | JsonText;
}

interface BoardSelection {
  readonly pipeline: Selection;
  readonly stage: Selection;
  /** Undefined: none of them are wanted. */
  readonly deals: Selection | undefined;
}

/** How many deals of each stage are shown unless given, and at most. */
const perStage = { default: 20, max: 100 };

/**
 * The stages of a pipeline in order, each with the number and the sum of the deals that match and
 * with the first of them, in one statement.
 * @throws {Fault} NOT_FOUND; INVALID_SEARCH for a query or `per_stage` that cannot be read;
 *   VALIDATION_FAILED for a sum beyond 2^53-1
 */
export async function pipelineBoard(
  ctx: Context,
  account: unknown,
  pipeline: unknown,
  given: Pick<QueryPipeline_BoardArgs, 'query' | 'per_stage'>,
  selection: BoardSelection,
): Promise<Board> {
  authorize(ctx.viewer, account, 'deal.read');
  authorize(ctx.viewer, account, 'pipeline.read');
  const pipelineId = readId(pipeline);
  const faults = new Faults('INVALID_SEARCH');
  const search = readUnsortedQuery(ctx, given.query, 'deals', faults);
  const limit = readLimit('per_stage', given.per_stage, perStage.max, faults) ?? perStage.default;
  if (faults.any) await requireRecord(ctx, 'pipelines', pipelineId);
  faults.throwIfAny();
  const found = await readTexts(ctx, selection.pipeline, {
    query: () => boardStatement(ctx.viewer.accountId, pipelineId, search, limit, selection),
    text: 'board',
  });
  if (!found) throw notFound();
  const [way = '', ...texts] = found.texts;
  const stages: BoardColumn[] = [];
  for (let at = 0; at < texts.length; at += ofStage) {
    const [stage = '', count, sum, deals = ''] = texts.slice(at, at + ofStage);
    const sum_in_cents = Number(sum);
    requireExact(sum_in_cents);
    stages.push({
      stage: await found.read<RecordValues>(stage),
      count: Number(count),
      sum_in_cents,
      deals: await found.read<RecordValues[]>(deals),
    });
  }
  return { pipeline: await found.read<RecordValues>(way), stages };
}

/** How many texts a stage has. */
const ofStage = 4;

/** @returns SQL of a row with the texts of the pipeline and of each stage, divided */
function boardStatement(
  accountId: number,
  pipelineId: number,
  search: Search,
  limit: number,
  selection: BoardSelection,
): Sql {
  const where = compileWhere(search, 'r', shapes, accountId);
  const { deals } = selection;
  const first = deals
    ? sql`(SELECT string_agg(${select.record('deals', deals, accountId, 'r')}, ',' ORDER BY r.rank, r.rank_fraction)
          FROM (SELECT *, xmin FROM deals AS r WHERE r.account_id = ${accountId} AND r.stage_id = step.id AND ${where}
            ORDER BY r.rank, r.rank_fraction LIMIT ${limit}) AS r)`
    : raw('NULL');
  const stage = [
    select.record('stages', selection.stage, accountId, 'step'),
    raw('coalesce(figures.count, 0)'),
    raw('coalesce(figures.sum, 0)'),
    sql`concat('[', ${first}, ']')`,
  ];
  const stages = sql`(SELECT string_agg(concat_ws(${divider}, ${join(stage)}), ${divider} ORDER BY step.position)
      FROM stages AS step LEFT JOIN figures ON figures.stage_id = step.id
      WHERE step.account_id = ${accountId} AND step.pipeline_id = way.id)`;
  const pipeline = select.record('pipelines', selection.pipeline, accountId, 'way');
  return sql`WITH figures AS MATERIALIZED (
      SELECT r.stage_id, count(*) AS count, sum(r.total_deal_products_amount_in_cents) AS sum FROM deals AS r
      WHERE r.account_id = ${accountId} AND r.pipeline_id = ${pipelineId} AND ${where} GROUP BY r.stage_id
    )
    SELECT concat_ws(${divider}, ${pipeline}, ${stages}) AS board
    FROM pipelines AS way WHERE way.account_id = ${accountId} AND way.id = ${pipelineId}`;
}
