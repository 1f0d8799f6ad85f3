/** What a group of deals comes to, as data. */
import { raw, type Sql } from '../../db/sql/sql.ts';
import type { DealMeasure } from '../../generated/graphql.ts';

/** What groups `g` are sorted by. */
export const orders: Readonly<Record<DealMeasure, Sql>> = {
  count: raw('g.count'),
  sum_in_cents: raw('g.sum'),
  average_in_cents: raw('g.sum / nullif(g.count, 0)'),
  units: raw('g.units'),
  won_rate: raw('g.won::float8 / nullif(g.won + g.lost, 0)'),
  average_days_to_close: raw('g.ms / nullif(g.timed, 0)'),
  median_days_to_close: raw('g.median'),
};

/** A column of the groups. */
export interface Part {
  readonly column: string;
  /** An aggregate over deals as `r`, which bring `$amount` and `$units`. */
  readonly made: string;
  /** What it is without any deal. */
  readonly none: string;
  /** The same of all deals of the groups `others`; left out of what is there for another's sake. */
  readonly merged?: string;
}

const summed = (column: string, made: string): Part => ({
  column,
  made,
  none: '0',
  merged: `(SELECT sum("${column}") FROM others)`,
});

const closed = 'coalesce(r.won_at, r.lost_at)';

/** From creation to the end; null for deals that are open, or had ended when they were created. */
const ms = `CASE WHEN ${closed} >= r.created_at THEN round(date_part('epoch', ${closed} - r.created_at) * 1000) END`;

const usual: readonly Part[] = [
  summed('count', 'count(*)'),
  summed('sum', 'coalesce(sum($amount), 0)'),
  summed('won', `count(*) FILTER (WHERE r.status = 'won')`),
  summed('lost', `count(*) FILTER (WHERE r.status = 'lost')`),
];

const units = summed('units', 'coalesce(sum($units), 0)');

const average = [summed('ms', `coalesce(sum(${ms}), 0)`), summed('timed', `count(${ms})`)];

const median: Part = {
  column: 'median',
  made: `percentile_cont(0.5) WITHIN GROUP (ORDER BY ${ms})`,
  none: 'NULL',
  merged:
    '(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY time) FROM others, unnest(others.times) AS time)',
};

/** The median of several groups is not that of their medians. */
const times: Part = {
  column: 'times',
  made: `array_agg(${ms}) FILTER (WHERE ${ms} IS NOT NULL)`,
  none: 'NULL',
};

/**
 * The columns that some measures need, and no other: what is not asked for costs nothing.
 * @param isMerged whether groups may be summed as one
 */
export function partsOf(measures: ReadonlySet<string>, isMerged: boolean): readonly Part[] {
  const asked = (measure: DealMeasure, ...parts: Part[]) => (measures.has(measure) ? parts : []);
  return [
    ...usual,
    ...asked('units', units),
    ...asked('average_days_to_close', ...average),
    ...asked('median_days_to_close', median, ...(isMerged ? [times] : [])),
  ];
}
