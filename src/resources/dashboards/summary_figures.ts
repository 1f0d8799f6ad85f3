/** The figures of a summary's groups: what PostgreSQL aggregates for them, and how they are answered. */
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { isoTimestamp } from '../../db/sql/timestamp.ts';
import type { SummaryGroup } from '../../generated/graphql.ts';
import { byCodePoint } from '../../search/comparisons.ts';
import type { Joins } from '../../search/joins.ts';
import type { Measure, SortBy } from '../../search/measures.ts';
import { aggregates, count, type Part } from '../../search/measures.ts';
import type { Attribute } from '../../search/search.ts';
import { kinds } from '../../search/values.ts';
import type { Input } from './plan.ts';
import { requireExact } from './query.ts';

export type Row = Readonly<Record<string, unknown>>;

/** An attribute that is measured, under the name of its column. */
export interface MeasuredAttribute extends Pick<Input, 'column' | 'type'> {
  readonly attribute: Attribute;
}

export class Figures {
  readonly #measures: readonly Measure[];
  readonly #columns: ReadonlyMap<string, string>;
  /** What they measure, each attribute once. */
  readonly inputs: readonly MeasuredAttribute[];
  readonly parts: readonly Part[];
  /** The attribute whose values count once, where it is a single one. */
  readonly once: Attribute | undefined;

  /** @param isMerged whether groups may be summed as one */
  constructor(measures: readonly Measure[], isMerged: boolean) {
    this.#measures = measures;
    const distinct = measures.filter(({ aggregate }) => aggregate === 'distinct');
    this.once = distinct.every(({ of }) => of === distinct[0]?.of)
      ? distinct[0]?.attribute
      : undefined;
    const attributes = new Map(measures.map(({ of, attribute }) => [of, attribute]));
    this.inputs = [...attributes.values()].map((attribute, at) => ({
      attribute,
      column: columnOf(attribute, at),
      type: kinds[attribute.kind].type,
    }));
    this.#columns = new Map([...attributes].map(([of, one], at) => [of, columnOf(one, at)]));
    const parts = measures.flatMap(({ aggregate, of }) =>
      aggregates[aggregate].parts(this.#columnOf(of), isMerged),
    );
    this.parts = [...new Map([count, ...parts].map((part) => [part.column, part])).values()];
  }

  /** What groups `g` are sorted by. */
  order(by: SortBy): Sql {
    if (by === 'count') return raw('g.count');
    return raw(aggregates[by.aggregate].order(this.#columnOf(by.of)));
  }

  /** The figures of a row with the parts. */
  read(row: Row): Omit<SummaryGroup, 'keys' | 'is_rest'> {
    const shown: Record<string, unknown> = {};
    for (const { key, aggregate, of, attribute } of this.#measures) {
      shown[key] = readers[aggregate](row, this.#columnOf(of), attribute);
    }
    const none = { sum: null, average: null, smallest: null, largest: null, distinct: null };
    return { ...none, ...shown, count: numberIn(row, 'count') ?? 0 };
  }

  #columnOf(of: string): string {
    return this.#columns.get(of) ?? '';
  }
}

/** What refers to another row keeps its name, by which that row is joined. */
const columnOf = ({ path, column }: Attribute, at: number): string =>
  path.length === 0 && column.endsWith('_id') ? column : `m${at + 1}`;

/** SQL of what is measured: no text is as good as an empty one. */
export const measuredBy = (joins: Joins, { attribute }: MeasuredAttribute): Sql => {
  const value = joins.valueOf(attribute);
  return attribute.kind === 'text' ? sql`nullif(${byCodePoint(value)}, '')` : value;
};

const numberIn = (row: Row, column: string): number | null => {
  const value = row[column] ?? null;
  return value === null ? null : Number(value);
};

type FigureReader = (row: Row, column: string, attribute: Attribute) => unknown;

const extreme =
  (aggregate: 'min' | 'max'): FigureReader =>
  (row, column, { kind }) => {
    const value = row[`${aggregate}_${column}`] ?? null;
    return kind === 'timestamp' && value !== null ? isoTimestamp(String(value)) : value;
  };

const readers: Readonly<Record<Measure['aggregate'], FigureReader>> = {
  sum: (row, column) => {
    const sum = numberIn(row, `sum_${column}`) ?? 0;
    requireExact(sum);
    return sum;
  },
  average: (row, column, { column: of }) => {
    const [sum, n] = [numberIn(row, `sum_${column}`), numberIn(row, `n_${column}`)];
    if (sum === null || !n) return null;
    // Money has no parts of a cent.
    return of.endsWith('_in_cents') ? Math.round(sum / n) : sum / n;
  },
  smallest: extreme('min'),
  largest: extreme('max'),
  distinct: (row, column) => numberIn(row, `distinct_${column}`),
};
