/** Predicates that compare an attribute with values. */
import type { ColumnKind } from '../db/sql/shape.ts';
import { raw, type Sql, sql } from '../db/sql/sql.ts';
import type { List, Predicate } from './predicate.ts';
import { every, kinds } from './values.ts';
import { type Variant, variants } from './variants.ts';

interface Comparison {
  readonly meaning: string;
  readonly on: readonly ColumnKind[];
  readonly operator: string;
  /** How the plain predicate treats a list, if it takes one. */
  readonly list?: List;
  readonly negative?: true;
  /** Whether it compares whole labels, which an index can find. */
  readonly wholeLabels?: true;
  /** Wraps the column when it is a text; values are compared as they are sent. */
  readonly as?: (text: Sql) => Sql;
}

/** Texts are compared, and indexed, by code point, which is the same in every database. */
export const byCodePoint = (text: Sql) => sql`${text} COLLATE "C"`;

const order = { on: every, as: byCodePoint } as const;
const equal = { operator: '=', as: byCodePoint, wholeLabels: true } as const;
const unequal = { operator: '<>', negative: true, wholeLabels: true } as const;

// biome-ignore format: one predicate a line reads as the table that it is
const rows: Readonly<Record<string, Comparison>> = {
  eq: { meaning: 'equals the value', on: every, ...equal },
  not_eq: { meaning: 'does not equal the value', on: every, ...unequal },
  lt: { meaning: 'is less than the value', ...order, operator: '<' },
  lteq: { meaning: 'is less than the value or equal to it', ...order, operator: '<=' },
  gt: { meaning: 'is greater than the value', ...order, operator: '>' },
  gteq: { meaning: 'is greater than the value or equal to it', ...order, operator: '>=' },
  in: { meaning: 'equals one of the values', on: every, ...equal, list: 'ANY' },
  not_in: { meaning: 'equals none of the values', on: every, ...unequal, list: 'ALL' },
};

export const comparisons: readonly Predicate[] = Object.entries(rows).flatMap(([name, row]) =>
  variants(name, row).map((variant) => compared(row, variant)),
);

function compared(row: Comparison, { list, ...variant }: Variant): Predicate {
  const { negative = false, as = (text: Sql) => text } = row;
  const operator = raw(row.operator);
  return {
    ...variant,
    compares: { operator: row.operator, ...(list ? { list } : {}) },
    negative: () => negative,
    ofMissing: () => false,
    test: (column, kind, values) => {
      const value = list
        ? sql`${raw(list)} (${values}::${kinds[kind].type}[])`
        : sql`${values[0]}::${kinds[kind].type}`;
      if (kind !== 'labels') {
        return sql`${kind === 'text' ? as(column) : column} ${operator} ${value}`;
      }
      const isOneOf = list === undefined || list === (negative ? 'ALL' : 'ANY');
      if (!row.wholeLabels || !isOneOf) {
        return someLabel(column, sql`${as(label)} ${operator} ${value}`, negative);
      }
      const has = sql`${column} && ${values}::text[]`;
      return negative ? sql`(${has}) IS NOT TRUE` : has;
    },
  };
}

/** A label of a record, within {@link someLabel}. */
export const label = raw('label.text');

/**
 * True when one of a record's labels meets a condition.
 * @param every whether all of them must, as a predicate that denies something asks
 */
export const someLabel = (labels: Sql, condition: Sql, every = false): Sql =>
  every
    ? sql`NOT EXISTS (SELECT FROM unnest(${labels}) AS label(text) WHERE NOT (${condition}))`
    : sql`EXISTS (SELECT FROM unnest(${labels}) AS label(text) WHERE ${condition})`;
