/** What deals can be counted by, as a table of names of the search language. */
import type { RecordType, Selection, ShapeName } from '../../db/sql/shape.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import type { DealGrouping, DealMoment } from '../../generated/graphql.ts';
import { tables } from '../../generated/shapes.ts';
import type { Unit } from '../../search/grouping.ts';
import type { Attribute } from '../../search/search.ts';
import { type Grouping, type KeyGrouping, keyedBy, recordOf, type Setting } from './groupings.ts';

interface NamedGrouping {
  readonly attribute: Attribute;
  /** The field that shows it; of another record, what `_id` and `_name` follow. */
  readonly as: string;
  readonly table?: ShapeName;
  readonly unit?: Unit;
  /** What differs from a grouping by its name alone, in the column of the key. */
  readonly own?: (column: string) => Partial<KeyGrouping>;
}

const attribute = (column: string, kind: Attribute['kind'], ...path: string[]): Attribute => ({
  path,
  column,
  kind,
});

/** The moment of a deal that a summary is about. */
export const momentOf = (on: DealMoment): Attribute => attribute(on, 'timestamp');

const reference = (
  as: string,
  table: ShapeName,
  column = `${as}_id`,
  ...path: string[]
): NamedGrouping => ({ as, table, attribute: attribute(column, 'integer', ...path) });

const period = (unit: Unit): NamedGrouping => ({
  as: unit,
  unit,
  attribute: momentOf('created_at'),
});

const named: Readonly<Record<DealGrouping, NamedGrouping>> = {
  STATUS: {
    as: 'status',
    attribute: attribute('status', 'text'),
    own: (column) => ({
      order: raw(`array_position(ARRAY['open', 'won', 'lost'], g."${column}"::text)`),
    }),
  },
  PIPELINE: reference('pipeline', 'pipelines'),
  STAGE: reference('stage', 'stages'),
  OWNER: reference('owner', 'users', 'user_id', 'deal_assignees'),
  CREATOR: reference('creator', 'users', 'created_by_id'),
  LABEL: { as: 'label', attribute: attribute('label_list', 'labels', 'contact') },
  LOST_REASON: {
    as: 'lost_reason',
    attribute: attribute('lost_reason', 'text'),
    // Empty for deals without one.
    own: () => ({ key: raw('left(r.lost_reason, 255)') }),
  },
  PRODUCT: reference('product', 'products', 'product_id', 'deal_products'),
  YEAR: period('year'),
  QUARTER: period('quarter'),
  MONTH: period('month'),
  WEEK: period('week'),
  DAY: period('day'),
};

/** The kinds of records that groupings tell of, besides the deals. */
export const revealedBy = (names: readonly DealGrouping[]): readonly RecordType[] =>
  names.flatMap((one) => (one === 'LABEL' ? 'contact' : tellsOf(named[one])));

const tellsOf = ({ table }: NamedGrouping): readonly RecordType[] =>
  table ? [tables[table].one] : [];

/** Joins to deals, as `sold`, what was sold in them; by product, for which a deal with several counts by itself. */
export const sold = (accountId: number, byProduct: boolean): Sql => {
  const keys = raw(byProduct ? 'deal_id, product_id' : 'deal_id');
  return sql`LEFT JOIN (SELECT ${keys}, sum(total_amount_in_cents) AS amount, sum(quantity) AS units
    FROM deal_products WHERE account_id = ${accountId} GROUP BY ${keys}) AS sold ON sold.deal_id = r.id`;
};

/** What is selected of the records that deals are grouped by, by the field of the group. */
export type GroupSelections = Readonly<Record<string, Selection>>;

/** Some groupings, each once. */
export const groupingsOf = (
  names: readonly DealGrouping[],
  on: DealMoment,
  setting: Setting,
  selected: GroupSelections,
): readonly Grouping[] =>
  [...new Set(names)].map((one, at) => {
    const { as, unit, own, table, ...by } = named[one];
    const name = { attribute: unit ? momentOf(on) : by.attribute, unit };
    const value = one === 'PRODUCT' ? raw('sold.product_id') : undefined;
    const keyed = { ...keyedBy(name, at + 1, setting, value) };
    const grouping = { ...keyed, ...own?.(keyed.column) };
    if (!table) return { ...grouping, shows: [[as, unit ? keyed.label : keyed.value]] };
    const record = selected[as];
    return {
      ...grouping,
      shows: [
        [`${as}_id`, keyed.value],
        [`${as}_name`, keyed.named?.title ?? raw('NULL')],
        ...(record ? [[as, recordOf(keyed, record, setting.accountId)] as const] : []),
      ],
    };
  });
