/** What groups of records come to: measures of the attributes that a search may name. */

import type { ShapeName, Shapes } from '../db/sql/shape.ts';
import { didYouMean } from '../errors/did_you_mean.ts';
import type { Faults } from '../errors/errors.ts';
import { problemOf, readAttribute } from './grouping.ts';
import { isMany } from './joins.ts';
import type { Attribute } from './search.ts';
import { Unreadable } from './values.ts';

/** A column of the groups. */
export interface Part {
  readonly column: string;
  /** An aggregate over the records `s`, with the columns that a plan gives them. */
  readonly made: string;
  /** What it is without any record. */
  readonly none: string;
  /** The same of all records of the groups `others`; left out of what is there for another's sake. */
  readonly merged?: string;
  /** The same over smaller groups `s`, of which some have the part, and others are there for another's sake. */
  readonly again?: string;
  /** The column whose values it counts once, and the same over smaller groups `s`: those of each of its values. */
  readonly distinct?: { readonly of: string; readonly made: string };
}

export const summed = (column: string, made: string): Part => ({
  column,
  made,
  none: '0',
  merged: `(SELECT sum("${column}") FROM others)`,
  again: `coalesce(sum(s."${column}"), 0)`,
});

export const count = summed('count', 'count(*)');

/** A measure of any attribute, over its column `of` of the records. */
interface Aggregate {
  readonly parts: (of: string, isMerged: boolean) => readonly Part[];
  /** What groups `g` are sorted by. */
  readonly order: (of: string) => string;
}

const sumOf = (of: string): Part => summed(`sum_${of}`, `coalesce(sum(s.${of}), 0)`);

const extreme = (aggregate: 'min' | 'max'): Aggregate => ({
  parts: (of) => {
    const column = `${aggregate}_${of}`;
    const merged = `(SELECT ${aggregate}("${column}") FROM others)`;
    const again = `${aggregate}(s.${column})`;
    return [{ column, made: `${aggregate}(s.${of})`, none: 'NULL', merged, again }];
  },
  order: (of) => `g.${aggregate}_${of}`,
});

/** A measure is a row here, and its field of `SummaryGroup`. */
export const aggregates = {
  sum: { parts: (of) => [sumOf(of)], order: (of) => `g.sum_${of}` },
  average: {
    parts: (of) => [sumOf(of), summed(`n_${of}`, `count(s.${of})`)],
    order: (of) => `g.sum_${of}::numeric / nullif(g.n_${of}, 0)`,
  },
  smallest: extreme('min'),
  largest: extreme('max'),
  distinct: {
    parts: (of, isMerged) => {
      const [column, all] = [`distinct_${of}`, `all_${of}`];
      const part = (as: string, made: (values: string) => string): Part => ({
        column: as,
        made: made(`DISTINCT s.${of}`),
        none: 'NULL',
        again: `max(s.${as})`,
        distinct: { of, made: made(`s.${of}`) },
      });
      // What several groups have is not the sum of what each of them has.
      const merged = `(SELECT count(DISTINCT one) FROM others, unnest(others."${all}") AS one)`;
      return [
        { ...part(column, (values) => `count(${values})`), merged },
        ...(isMerged
          ? [part(all, (values) => `array_agg(${values}) FILTER (WHERE s.${of} IS NOT NULL)`)]
          : []),
      ];
    },
    order: (of) => `g.distinct_${of}`,
  },
} as const satisfies Readonly<Record<string, Aggregate>>;

export type AggregateName = keyof typeof aggregates;

/** A figure as it is selected: `sum(of: "amount_in_cents")`. */
export interface MeasureSelection {
  /** Under which the group holds it. */
  readonly key: string;
  readonly aggregate: AggregateName;
  readonly of: string;
}

export interface Measure extends MeasureSelection {
  readonly attribute: Attribute;
}

/** What sorts groups: a measure, or how many records there are. */
export type SortBy = 'count' | Measure;

const isAggregate = (name: string): name is AggregateName => Object.hasOwn(aggregates, name);

/**
 * Reads measures, and the one that sorts.
 * @returns all of them, that which sorts among them
 */
export function readMeasures(
  asked: readonly MeasureSelection[],
  sort: string | undefined,
  of: ShapeName,
  shapes: Shapes,
  faults: Faults,
): { readonly measures: readonly Measure[]; readonly sort: SortBy | undefined } {
  const measures = asked.flatMap((one) =>
    readMeasure(one, `${one.aggregate}.of`, of, shapes, faults),
  );
  if (sort === undefined || sort === 'count') return { measures, sort };
  const open = sort.indexOf('(');
  const [aggregate, name] = [sort.slice(0, open), sort.slice(open + 1, -1)];
  if (open < 0 || !sort.endsWith(')') || !isAggregate(aggregate)) {
    const names = ['count', ...Object.keys(aggregates)];
    const meant = didYouMean(open < 0 ? sort : aggregate, names);
    faults.add('sort', `must be count or a measure, such as sum(amount_in_cents)${meant}`);
    return { measures, sort: undefined };
  }
  const [sorting] = readMeasure({ key: '', aggregate, of: name }, 'sort', of, shapes, faults);
  return { measures: sorting ? [...measures, sorting] : measures, sort: sorting };
}

function readMeasure(
  asked: MeasureSelection,
  field: string,
  of: ShapeName,
  shapes: Shapes,
  faults: Faults,
): readonly Measure[] {
  const attribute = readAttribute(asked.of, of, shapes);
  if (attribute instanceof Unreadable) {
    faults.add(field, problemOf(attribute));
    return [];
  }
  const wrong =
    asked.aggregate === 'distinct' ? undefined : unmeasured(asked, attribute, of, shapes);
  if (wrong === undefined) return [{ ...asked, attribute }];
  faults.add(field, `"${asked.of}" ${wrong}`);
  return [];
}

/** Why an attribute has no such measure. */
function unmeasured(
  { aggregate }: MeasureSelection,
  attribute: Attribute,
  of: ShapeName,
  shapes: Shapes,
): string | undefined {
  const ofMoments = aggregate === 'smallest' || aggregate === 'largest';
  if (attribute.kind !== 'integer' && !(ofMoments && attribute.kind === 'timestamp')) {
    return ofMoments ? 'is neither a number nor a moment' : 'is not a number';
  }
  return isMany(attribute, of, shapes)
    ? 'is behind a path to several records, of which only distinct tells something'
    : undefined;
}
