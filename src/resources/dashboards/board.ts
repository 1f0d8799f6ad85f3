import { authorize, readId } from '../../auth/policy.ts';
import type { Context } from '../../context.ts';
import { jsonObject } from '../../db/json_text.ts';
import type { Selection } from '../../db/shape.ts';
import { raw, type Sql, sql } from '../../db/sql.ts';
import { Faults, notFound } from '../../errors.ts';
import { compileWhere } from '../../search/compile.ts';
import type { Search } from '../../search/search.ts';
import { readAnswer } from '../kernel/answer.ts';
import { readLimit } from '../kernel/limit.ts';
import { requireRecord, select } from '../kernel/record.ts';
import type { Stored } from '../kernel/stored.ts';
import { shapes } from '../shapes.ts';
import { readDealQuery, requireExact } from './query.ts';

/** A pipeline as a board of columns. */
interface Board {
  readonly pipeline: Stored;
  readonly stages: BoardStage[];
}

interface BoardStage {
  readonly stage: Stored;
  /** Number of deals in the stage that match. */
  readonly count: number;
  readonly sum_in_cents: number;
  /** The first of them, in their order. */
  readonly deals: Stored[];
}

interface BoardArguments {
  readonly query?: unknown;
  /** At most how many deals of each stage: 20 unless given, up to 100. */
  readonly per_stage?: unknown;
}

interface BoardSelection {
  readonly pipeline: Selection;
  readonly stage: Selection;
  /** Undefined: none of them are wanted. */
  readonly deals: Selection | undefined;
}

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
  given: BoardArguments,
  selection: BoardSelection,
): Promise<Board> {
  authorize(ctx.viewer, account, 'deal.read');
  authorize(ctx.viewer, account, 'pipeline.read');
  const pipelineId = readId(pipeline);
  const faults = new Faults('INVALID_SEARCH');
  const search = readDealQuery(ctx, given.query, faults);
  const limit = readLimit('per_stage', given.per_stage, perStage.max, faults) ?? perStage.default;
  if (faults.any) await requireRecord(ctx, 'pipelines', pipelineId);
  faults.throwIfAny();
  const read = await readAnswer<Board>(ctx, {
    query: () => boardStatement(ctx.viewer.accountId, pipelineId, search, limit, selection),
    text: 'board',
  });
  if (!read) throw notFound();
  const board = read.value;
  for (const { sum_in_cents } of board.stages) requireExact(sum_in_cents);
  return board;
}

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
    ? sql`(SELECT coalesce(string_agg(${select.record('deals', deals, accountId, 'r')}, ',' ORDER BY r.rank, r.rank_fraction), '')
          FROM (SELECT * FROM deals AS r WHERE r.account_id = ${accountId} AND r.stage_id = step.id AND ${where}
            ORDER BY r.rank, r.rank_fraction LIMIT ${limit}) AS r)`
    : raw("''");
  const stage = jsonObject([
    { as: 'stage', json: select.record('stages', selection.stage, accountId, 'step') },
    { as: 'count', json: raw('coalesce(figures.count, 0)') },
    { as: 'sum_in_cents', json: raw('coalesce(figures.sum, 0)') },
    { as: 'deals', json: first, form: '[%s]' },
  ]);
  const stages = sql`(SELECT coalesce(string_agg(${stage}, ',' ORDER BY step.position), '')
      FROM stages AS step LEFT JOIN figures ON figures.stage_id = step.id
      WHERE step.account_id = ${accountId} AND step.pipeline_id = way.id)`;
  const board = jsonObject([
    { as: 'pipeline', json: select.record('pipelines', selection.pipeline, accountId, 'way') },
    { as: 'stages', json: stages, form: '[%s]' },
  ]);
  return sql`WITH figures AS MATERIALIZED (
      SELECT r.stage_id, count(*) AS count, sum(r.total_deal_products_amount_in_cents) AS sum FROM deals AS r
      WHERE r.account_id = ${accountId} AND r.pipeline_id = ${pipelineId} AND ${where} GROUP BY r.stage_id
    )
    SELECT ${board} AS board
    FROM pipelines AS way WHERE way.account_id = ${accountId} AND way.id = ${pipelineId}`;
}
