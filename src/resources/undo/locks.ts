/** Locking contacts, pipelines and stages, and reading who stands in them in which order. */

import type { UnitOfWork } from '../../context/context.ts';
import { adhoc } from '../../db/database.ts';
import { empty, sql } from '../../db/sql/sql.ts';
import { coded } from '../../errors/codes.ts';
import { invalid } from '../../errors/errors.ts';
import type { Portions } from '../../lib/portions.ts';
import type { Lists } from './lines.ts';
import { idsIn, type RecordReversal } from './runs.ts';

/** Deals that stand in the stages which one call rearranges, at most. */
const mostPlaced = 500_000;

export interface Standing {
  /** The stages that deals may leave or come to, as far as they are there, and how many deals each has. */
  readonly sought: ReadonlyMap<number, number>;
  /** Stages by pipeline, in their order, where that may change. */
  readonly lists: Lists;
  /** The pipeline of each stage. */
  readonly pipelines: ReadonlyMap<number, number>;
}

interface StageRow {
  readonly id: number;
  readonly pipeline_id: number;
  readonly position: number;
  readonly deals_count: number;
}

/** Keeps contacts from being removed, and from getting or losing what another may have. */
export async function lockContacts(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
): Promise<void> {
  const ids = reversals.filter(({ kind }) => kind === 'contact').map(({ id }) => id);
  await ctx.db.query(
    sql`SELECT FROM contacts WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${ids}::bigint[])
      ORDER BY id FOR NO KEY UPDATE`,
    adhoc,
  );
}

/**
 * @param placed the deals of whom it matters where they stand
 * @throws {Fault} VALIDATION_FAILED when too many deals stand there
 */
export async function lockStages(
  ctx: UnitOfWork,
  reversals: readonly RecordReversal[],
  placed: readonly RecordReversal[],
): Promise<Standing> {
  const { accountId } = ctx.viewer;
  const idsOf = (kind: RecordReversal['kind']) =>
    reversals.filter((one) => one.kind === kind).map(({ id }) => id);
  const named = placed.flatMap(({ steps, removed }) =>
    [...steps, ...(removed ? [removed] : [])].flatMap(({ before }) => idsIn(before, 'stage_id')),
  );
  const lists = reversals.flatMap(({ kind, removed }) =>
    kind === 'stage' ? idsIn(removed?.before, 'pipeline_id') : [],
  );
  const [row] = await ctx.db.query<{ stages: number[] | null; pipelines: number[] | null }>(
    sql`SELECT (SELECT array_agg(DISTINCT stage_id) FROM deals
        WHERE account_id = ${accountId} AND id = ANY(${placed.map(({ id }) => id)}::bigint[])) AS stages,
      (SELECT array_agg(DISTINCT pipeline_id) FROM stages
        WHERE account_id = ${accountId} AND id = ANY(${idsOf('stage')}::bigint[])) AS pipelines`,
    adhoc,
  );
  const pipelines = [...new Set([...(row?.pipelines ?? []), ...idsOf('pipeline'), ...lists])];
  await ctx.db.query(
    sql`SELECT id FROM pipelines WHERE account_id = ${accountId} AND id = ANY(${pipelines}::bigint[]) ORDER BY id FOR UPDATE`,
    adhoc,
  );
  const stageIds = new Set([...(row?.stages ?? []), ...named]);
  const rows = await ctx.db.query<StageRow>(
    sql`SELECT id, pipeline_id, position, deals_count FROM stages
      WHERE account_id = ${accountId}
        AND (id = ANY(${[...stageIds]}::bigint[]) OR pipeline_id = ANY(${pipelines}::bigint[])) ORDER BY id FOR UPDATE`,
    adhoc,
  );
  const sought = rows.filter(({ id }) => stageIds.has(id));
  if (sought.reduce((sum, { deals_count }) => sum + deals_count, 0) > mostPlaced) {
    throw invalid(
      'after',
      coded(
        'too_many',
        `moves deals among more than ${mostPlaced} others: choose a shorter period`,
      ),
    );
  }
  const ordered = [...rows].sort((one, other) => one.position - other.position);
  return {
    sought: new Map(sought.map(({ id, deals_count }) => [id, deals_count])),
    lists: new Map(
      pipelines.map((of) => [
        of,
        ordered.filter(({ pipeline_id }) => pipeline_id === of).map(({ id }) => id),
      ]),
    ),
    pipelines: new Map(rows.map(({ id, pipeline_id }) => [id, pipeline_id])),
  };
}

/** How many deals are read at once. */
const pageSize = 4_000;

/**
 * The deals of these stages in their order, and their ranks, read in pages.
 */
export async function dealsIn(
  ctx: UnitOfWork,
  { sought }: Standing,
  portions: Portions,
): Promise<{ readonly deals: Lists; readonly ranks: ReadonlyMap<number, number> }> {
  const deals = new Map<number, number[]>([...sought.keys()].map((id) => [id, []]));
  const ranks = new Map<number, number>();
  for (const stages of pagesOf(sought)) {
    for (let page: StagePage | undefined = { stages, after: undefined }; page; ) {
      const rows: readonly RankedDeal[] = await readPage(ctx, page);
      await portions.each(rows, ({ id, stage_id, rank, rank_fraction }) => {
        deals.get(stage_id)?.push(id);
        ranks.set(id, rank + rank_fraction);
      });
      page = rows.length < pageSize ? undefined : { stages, after: rows.at(-1) };
    }
  }
  return { deals, ranks };
}

interface RankedDeal {
  readonly id: number;
  readonly stage_id: number;
  readonly rank: number;
  readonly rank_fraction: number;
}

interface StagePage {
  readonly stages: readonly number[];
  /** The last deal of the page before. */
  readonly after: RankedDeal | undefined;
}

/** Stages that are read together: a large one by itself, so that its pages follow the index. */
function pagesOf(sought: Standing['sought']): readonly (readonly number[])[] {
  const pages: number[][] = [];
  let rest = 0;
  for (const [id, count] of sought) {
    if (count > rest || pages.length === 0) {
      pages.push([]);
      rest = pageSize;
    }
    pages.at(-1)?.push(id);
    rest -= count;
  }
  return pages;
}

const readPage = (ctx: UnitOfWork, { stages, after }: StagePage): Promise<readonly RankedDeal[]> =>
  ctx.db.query<RankedDeal>(
    sql`SELECT id, stage_id, rank, rank_fraction FROM deals
      WHERE account_id = ${ctx.viewer.accountId} AND stage_id = ANY(${stages}::bigint[])
        ${
          after
            ? sql`AND (stage_id, rank, rank_fraction) > (${after.stage_id}::bigint, ${after.rank}::integer, ${after.rank_fraction}::double precision)`
            : empty
        }
      ORDER BY stage_id, rank, rank_fraction LIMIT ${pageSize}`,
    adhoc,
  );
