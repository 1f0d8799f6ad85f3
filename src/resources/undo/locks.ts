/** Locking contacts, pipelines and stages, and reading who stands in them in which order. */
import type { UnitOfWork } from '../../context.ts';
import { empty, raw, sql } from '../../db/sql.ts';
import { invalid } from '../../errors.ts';
import type { Lists } from './places.ts';
import type { Asked } from './runs.ts';

/** Deals that stand in the stages which one call rearranges, at most. */
const mostPlaced = 500_000;

export interface Standing {
  /** The stages that deals may leave or come to, as far as they are there. */
  readonly sought: ReadonlySet<number>;
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
export async function lockContacts(ctx: UnitOfWork, asked: readonly Asked[]): Promise<void> {
  const ids = asked.filter(({ kind }) => kind === 'contact').map(({ id }) => id);
  await ctx.db.query(
    sql`SELECT FROM contacts WHERE account_id = ${ctx.viewer.accountId} AND id = ANY(${ids}::bigint[])
      ORDER BY id FOR NO KEY UPDATE`,
  );
}

/**
 * @param placed the deals of whom it matters where they stand
 * @throws {Fault} VALIDATION_FAILED when too many deals stand there
 */
export async function lockStages(
  ctx: UnitOfWork,
  asked: readonly Asked[],
  placed: readonly Asked[],
  isLocking: boolean,
): Promise<Standing> {
  const { accountId } = ctx.viewer;
  const idsOf = (kind: Asked['kind']) =>
    asked.filter((one) => one.kind === kind).map(({ id }) => id);
  const lock = isLocking ? raw('FOR UPDATE') : empty;
  const named = placed.flatMap(({ steps }) =>
    steps.flatMap(({ before }) => before.get('stage_id') ?? []),
  );
  const [found] = await ctx.db.query<{ stages: number[] | null; pipelines: number[] | null }>(
    sql`SELECT (SELECT array_agg(DISTINCT stage_id) FROM deals
        WHERE account_id = ${accountId} AND id = ANY(${placed.map(({ id }) => id)}::bigint[])) AS stages,
      (SELECT array_agg(DISTINCT pipeline_id) FROM stages
        WHERE account_id = ${accountId} AND id = ANY(${idsOf('stage')}::bigint[])) AS pipelines`,
  );
  const pipelines = [...(found?.pipelines ?? []), ...idsOf('pipeline')];
  await ctx.db.query(
    sql`SELECT id FROM pipelines WHERE account_id = ${accountId} AND id = ANY(${pipelines}::bigint[]) ORDER BY id ${lock}`,
  );
  const wanted = new Set([...(found?.stages ?? []), ...named.map(Number)]);
  const rows = await ctx.db.query<StageRow>(
    sql`SELECT id, pipeline_id, position, deals_count FROM stages
      WHERE account_id = ${accountId}
        AND (id = ANY(${[...wanted]}::bigint[]) OR pipeline_id = ANY(${pipelines}::bigint[])) ORDER BY id ${lock}`,
  );
  const sought = rows.filter(({ id }) => wanted.has(id));
  if (sought.reduce((sum, { deals_count }) => sum + deals_count, 0) > mostPlaced) {
    throw invalid(
      'after',
      `moves deals among more than ${mostPlaced} others: choose a shorter period`,
    );
  }
  const ordered = [...rows].sort((one, other) => one.position - other.position);
  return {
    sought: new Set(sought.map(({ id }) => id)),
    lists: new Map(
      pipelines.map((of) => [
        of,
        ordered.filter(({ pipeline_id }) => pipeline_id === of).map(({ id }) => id),
      ]),
    ),
    pipelines: new Map(rows.map(({ id, pipeline_id }) => [id, pipeline_id])),
  };
}

/** The deals of these stages in their order, and their ranks. */
export async function dealsIn(
  ctx: UnitOfWork,
  { sought }: Standing,
): Promise<{ readonly deals: Lists; readonly ranks: ReadonlyMap<number, number> }> {
  const deals = new Map<number, number[]>([...sought].map((id) => [id, []]));
  const ranks = new Map<number, number>();
  if (sought.size === 0) return { deals, ranks };
  const rows = await ctx.db.query<{ id: number; stage_id: number; at: number }>(
    sql`SELECT id, stage_id, rank + rank_fraction AS at FROM deals
      WHERE account_id = ${ctx.viewer.accountId} AND stage_id = ANY(${[...sought]}::bigint[])
      ORDER BY stage_id, rank, rank_fraction`,
  );
  for (const { id, stage_id, at } of rows) {
    deals.get(stage_id)?.push(id);
    ranks.set(id, at);
  }
  return { deals, ranks };
}
