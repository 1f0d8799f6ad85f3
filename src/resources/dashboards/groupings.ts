/** What deals can be counted by, as a table of groupings. */

import type { RecordType, ShapeName } from '../../db/sql/shape.ts';
import { name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import type { DealGrouping } from '../../generated/graphql.ts';
import { tables } from '../../generated/shapes.ts';
import { localTime, type Span } from './span.ts';

/** SQL over deals, which it knows as `r`, and over the groups, which it knows as `g`. */
export interface Grouping {
  /** Column that holds the group's key. */
  readonly column: string;
  readonly key: (span: Span) => Sql;
  /** Joins to the deals that the key needs. */
  readonly from?: (accountId: number) => Sql;
  /** Joins to the groups that the names need. */
  readonly names?: (accountId: number) => Sql;
  /** Columns that a group shows, and their names. */
  readonly shown: Sql;
  readonly shows: readonly string[];
  readonly order: Sql;
  /** Kinds of records that it reveals besides the deals. */
  readonly touches?: readonly RecordType[];
  /** How long the period is whose first moment the key is. */
  readonly length?: string;
}

/** A grouping by periods, each known by its column's name to PostgreSQL. */
export type Periodic = Grouping & Required<Pick<Grouping, 'length'>>;

export const isPeriodic = (grouping: Grouping): grouping is Periodic =>
  grouping.length !== undefined;

/** The id of another record and its name. */
const named = (column: string, table: ShapeName, alias: string, its = 'name') => ({
  column,
  touches: [tables[table].one],
  shows: [column, `${alias}_name`],
  names: (accountId: number) =>
    sql`LEFT JOIN ${name(table)} AS ${name(alias)} ON ${name(alias)}.account_id = ${accountId} AND ${name(alias)}.id = g.${name(column)}`,
  shown: raw(`g."${column}", "${alias}"."${its}" AS "${alias}_name"`),
  order: raw(`g."${column}"`),
});

/** A text, in the order of its bytes. */
const text = (column: string, key: string) => ({
  column,
  key: () => raw(key),
  shows: [column],
  shown: raw(`g."${column}"`),
  order: raw(`g."${column}" COLLATE "C"`),
});

const period = (unit: string, format: string, length = `1 ${unit}`): Grouping => ({
  column: unit,
  key: (span) => sql`date_trunc(${raw(`'${unit}'`)}, ${localTime(span)})`,
  shown: raw(`to_char(g."${unit}", '${format}') AS "${unit}"`),
  shows: [unit],
  order: raw(`g."${unit}"`),
  length,
});

const groupings: Readonly<Record<DealGrouping, Grouping>> = {
  STATUS: {
    column: 'status',
    key: () => raw('r.status'),
    shows: ['status'],
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
  CREATOR: {
    ...named('creator_id', 'users', 'creator', 'full_name'),
    key: () => raw('r.created_by_id'),
  },
  LABEL: {
    ...text('label', 'labelled.label'),
    touches: ['contact'],
    from: (accountId) =>
      sql`JOIN contacts AS buyer ON buyer.account_id = ${accountId} AND buyer.id = r.contact_id
        LEFT JOIN LATERAL unnest(buyer.label_list) AS labelled (label) ON true`,
  },
  // A reason may be as long as a letter; as many as groups may be must be bearable together.
  LOST_REASON: text('lost_reason', 'left(r.lost_reason, 255)'),
  PRODUCT: {
    ...named('product_id', 'products', 'product'),
    key: () => raw('sold.product_id'),
    from: (accountId) =>
      sql`LEFT JOIN (SELECT deal_id, product_id, sum(total_amount_in_cents) AS amount, sum(quantity) AS units
        FROM deal_products WHERE account_id = ${accountId} GROUP BY deal_id, product_id) AS sold ON sold.deal_id = r.id`,
  },
  YEAR: period('year', 'YYYY'),
  QUARTER: period('quarter', 'YYYY-"Q"Q', '3 months'),
  MONTH: period('month', 'YYYY-MM'),
  WEEK: period('week', 'IYYY-"W"IW'),
  DAY: period('day', 'YYYY-MM-DD'),
};

/** The groupings of some names, each once. */
export const groupingsOf = (names: readonly DealGrouping[]): readonly Grouping[] =>
  [...new Set(names)].map((one) => groupings[one]);
