import { empty, join, name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import type { DealMeasure } from '../../generated/graphql.ts';
import { filling } from './fill.ts';
import { type Grouping, isPeriodic } from './groupings.ts';
import { orders, partsOf } from './measures.ts';
import { type Span, within } from './span.ts';

interface SummaryRequest {
  readonly accountId: number;
  /** Condition on the deals, as `r`. */
  readonly where: Sql;
  readonly groupings: readonly Grouping[];
  readonly span: Span;
  /** Whether there are groups of periods without deals; for one grouping by periods. */
  readonly fill: boolean;
  /** Names of the figures that are shown, among others. */
  readonly measures: ReadonlySet<string>;
  /** What goes before the order of the groupings. */
  readonly sort: { readonly by: DealMeasure; readonly ascending: boolean } | undefined;
  /** How many groups are shown, the others summed as one; without, all of them. */
  readonly limit: number | undefined;
  /** Where each group would be shown or filled, one more than this many are looked for at most. */
  readonly most: number;
}

/**
 * @returns SQL of one row: `groups`, the JSON of a list with what each is grouped by and the columns
 *   of {@link partsOf}; `rest`, that of an object with these columns, null where all are shown;
 *   `found`, how many groups there are
 */
export function summaryStatement(request: SummaryRequest): Sql {
  const { accountId, where, groupings, span, fill, measures, sort, limit, most } = request;
  const parts = partsOf(sort ? new Set([...measures, sort.by]) : measures, limit !== undefined);
  const period = groupings.find(isPeriodic);
  const others = groupings.filter((grouping) => grouping !== period);
  const fills = fill && period ? filling(period, others, parts, span, most) : empty;
  const { amount, units, from } = broughtIn(
    groupings.some(({ column }) => column === 'product_id'),
    parts.some(({ column }) => column === 'units'),
    accountId,
  );
  const keys = groupings.map(({ key, column }) => sql`${key(span)} AS ${name(column)}, `);
  const figures = parts.map(({ made, column }) => {
    const aggregate = made.replaceAll('$amount', amount).replaceAll('$units', units);
    return `${aggregate} AS "${column}"`;
  });
  const order = [
    ...(sort ? [sql`${orders[sort.by]} ${raw(sort.ascending ? 'ASC' : 'DESC')} NULLS LAST`] : []),
    ...groupings.map((grouping) => grouping.order),
  ];
  const shown = parts.filter(({ merged }) => merged !== undefined);
  const columns = [
    ...groupings.flatMap(({ shows }) => shows),
    ...shown.map(({ column }) => column),
  ];
  const together = shown.map(({ column, merged }) => `'${column}', ${merged}`);
  const rest =
    limit === undefined
      ? raw('NULL')
      : raw(`(SELECT json_build_object(${together.join(', ')}) FROM others LIMIT 1)`);
  // Made in a WITH query of its own, because a plan that knew of the LIMIT would be one that has its
  // first groups soon, and takes longer for all of them.
  const groups = limit === undefined ? sql`(SELECT * FROM made LIMIT ${most + 1})` : raw('made');
  return sql`WITH made AS MATERIALIZED (
      SELECT ${all(keys)} ${raw(figures.join(', '))}
      FROM deals AS r ${all(groupings.map((grouping) => grouping.from?.(accountId)))} ${from}
      WHERE r.account_id = ${accountId} AND ${where} ${within(span, period !== undefined)}
      ${groupings.length > 0 ? raw(`GROUP BY ${groupings.map((_, at) => at + 1)}`) : empty}
    ), ${fills} placed AS (
      SELECT ${all(groupings.map((grouping) => sql`${grouping.shown}, `))}
        ${raw(parts.map(({ column }) => `g."${column}"`).join(', '))},
        row_number() OVER (${order.length > 0 ? sql`ORDER BY ${join(order)}` : empty}) AS place
      FROM ${fill ? raw('filled') : groups} AS g ${all(groupings.map(({ names }) => names?.(accountId)))}
    ), others AS (
      SELECT * FROM placed WHERE place > ${limit ?? most}
    )
    SELECT (
      SELECT coalesce(json_agg(row_to_json(kept)), '[]'::json) FROM (
        SELECT ${join(columns.map(name))} FROM placed WHERE place <= ${limit ?? most} ORDER BY place
      ) AS kept
    )::text AS groups, ${rest} AS rest, (SELECT count(*) FROM placed) AS found`;
}

/** What a deal brings, as SQL, and what has to be joined to the deals for that. */
function broughtIn(byProduct: boolean, needsUnits: boolean, accountId: number) {
  // A deal with several products counts for each of them, with what that product brings.
  if (byProduct) return { amount: 'sold.amount', units: 'sold.units', from: empty };
  return {
    amount: 'r.total_deal_products_amount_in_cents',
    units: 'load.units',
    from: needsUnits
      ? sql`LEFT JOIN (SELECT deal_id, sum(quantity) AS units FROM deal_products
          WHERE account_id = ${accountId} GROUP BY deal_id) AS load ON load.deal_id = r.id`
      : empty,
  };
}

const all = (parts: readonly (Sql | undefined)[]): Sql =>
  parts.length > 0
    ? join(
        parts.map((part) => part ?? empty),
        ' ',
      )
    : empty;
