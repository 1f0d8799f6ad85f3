/** What deals can be counted by, as a table of groupings. */

import { empty, join, name, raw, type Sql, sql } from '../../db/sql.ts';
import type { DealGrouping, DealMoment } from '../../generated/graphql.ts';

/** SQL over deals, which it knows as `r`, and over the groups, which it knows as `g`. */
interface Grouping {
  /** Column that holds the group's key. */
  readonly column: string;
  readonly key: (on: DealMoment) => Sql;
  /** Joins to the deals that the key needs. */
  readonly from?: (accountId: number) => Sql;
  /** Joins to the groups that the names need. */
  readonly names?: (accountId: number) => Sql;
  /** Columns that a group shows. */
  readonly shown: Sql;
  readonly order: Sql;
  readonly isPeriod?: true;
}

const named = (column: string, table: string, alias: string, its = 'name') => ({
  column,
  names: (accountId: number) =>
    sql`LEFT JOIN ${name(table)} AS ${name(alias)} ON ${name(alias)}.account_id = ${accountId} AND ${name(alias)}.id = g.${name(column)}`,
  shown: raw(`g."${column}", "${alias}"."${its}" AS "${column.replace(/_id$/, '_name')}"`),
  order: raw(`g."${column}"`),
});

const period = (column: string, format: string): Grouping => ({
  column,
  key: (on) => sql`date_trunc(${raw(`'${column}'`)}, r.${name(on)} AT TIME ZONE 'UTC')`,
  shown: raw(`to_char(g."${column}", '${format}') AS "${column}"`),
  order: raw(`g."${column}"`),
  isPeriod: true,
});

const groupings: Readonly<Record<DealGrouping, Grouping>> = {
  STATUS: {
    column: 'status',
    key: () => raw('r.status'),
    shown: raw('g.status'),
    order: raw(`array_position(ARRAY['open', 'won', 'lost'], g.status::text)`),
  },
  PIPELINE: { ...named('pipeline_id', 'pipelines', 'pipeline'), key: () => raw('r.pipeline_id') },
  STAGE: {
    ...named('stage_id', 'stages', 'stage'),
    key: () => raw('r.stage_id'),
    order: raw('stage.pipeline_id, stage.position'),
  },
  OWNER: {
    ...named('owner_id', 'users', 'owner', 'full_name'),
    key: () => raw('assigned.user_id'),
    from: (accountId) =>
      sql`LEFT JOIN deal_assignees AS assigned ON assigned.account_id = ${accountId} AND assigned.deal_id = r.id`,
  },
  PRODUCT: {
    ...named('product_id', 'products', 'product'),
    key: () => raw('sold.product_id'),
    from: (accountId) =>
      sql`LEFT JOIN (SELECT deal_id, product_id, sum(total_amount_in_cents) AS amount FROM deal_products
        WHERE account_id = ${accountId} GROUP BY deal_id, product_id) AS sold ON sold.deal_id = r.id`,
  },
  MONTH: period('month', 'YYYY-MM'),
  WEEK: period('week', 'IYYY-"W"IW'),
  DAY: period('day', 'YYYY-MM-DD'),
};

interface SummaryRequest {
  readonly accountId: number;
  /** Condition on the deals, as `r`. */
  readonly where: Sql;
  /** Without repeats. */
  readonly groupBy: readonly DealGrouping[];
  readonly on: DealMoment;
  /** At most how many groups. */
  readonly limit: number;
}

/**
 * @returns SQL of a row for each group: what it shows, `count`, `won`, `lost`, and `sum` as text
 */
export function summaryStatement({ accountId, where, groupBy, on, limit }: SummaryRequest): Sql {
  const used = groupBy.map((grouping) => groupings[grouping]);
  const keys = used.map(({ key, column }) => sql`${key(on)} AS ${name(column)}, `);
  const froms = used.map(({ from }) => from?.(accountId) ?? empty);
  // A deal with several products counts for each of them, with the amount of that product.
  const amount = groupBy.includes('PRODUCT')
    ? raw('sold.amount')
    : raw('r.total_deal_products_amount_in_cents');
  const dated = used.some(({ isPeriod }) => isPeriod) ? sql`AND r.${name(on)} IS NOT NULL` : empty;
  const grouped =
    used.length > 0 ? raw(`GROUP BY ${used.map((_, at) => at + 1).join(', ')}`) : empty;
  const shown = used.map((grouping) => sql`${grouping.shown}, `);
  const names = used.map((grouping) => grouping.names?.(accountId) ?? empty);
  const order =
    used.length > 0 ? sql`ORDER BY ${join(used.map((grouping) => grouping.order))}` : empty;
  return sql`WITH g AS (
      SELECT ${all(keys)} count(*) AS count, coalesce(sum(${amount}), 0) AS sum,
        count(*) FILTER (WHERE r.status = 'won') AS won, count(*) FILTER (WHERE r.status = 'lost') AS lost
      FROM deals AS r ${all(froms)}
      WHERE r.account_id = ${accountId} AND ${where} ${dated} ${grouped} LIMIT ${limit}
    )
    SELECT ${all(shown)} g.count, g.sum::text AS sum, g.won, g.lost FROM g ${all(names)} ${order}`;
}

const all = (parts: readonly Sql[]): Sql => (parts.length > 0 ? join(parts, ' ') : empty);
