/** What a group of deals comes to, as data. */
import { raw, type Sql } from '../../db/sql/sql.ts';
import type { DealMeasure } from '../../generated/graphql.ts';
import { count, type Part, summed } from '../../search/measures.ts';

/** What groups `g` of deals are sorted by. */
export const orders: Readonly<Record<DealMeasure, Sql>> = {
  count: raw('g.count'),
  sum_in_cents: raw('g.sum'),
  average_in_cents: raw('g.sum / nullif(g.count, 0)'),
  units: raw('g.units'),
  won_rate: raw('g.won::float8 / nullif(g.won + g.lost, 0)'),
  average_days_to_close: raw('g.ms / nullif(g.timed, 0)'),
  median_days_to_close: raw('g.median'),
};

const usual: readonly Part[] = [
  count,
  summed('sum', 'coalesce(sum(s.amount), 0)'),
  summed('won', `count(*) FILTER (WHERE s.status = 'won')`),
  summed('lost', `count(*) FILTER (WHERE s.status = 'lost')`),
];

const units = summed('units', 'coalesce(sum(s.units), 0)');

const average = [summed('ms', 'coalesce(sum(s.ms), 0)'), summed('timed', 'count(s.ms)')];

const median: Part = {
  column: 'median',
  made: 'percentile_cont(0.5) WITHIN GROUP (ORDER BY s.ms)',
  none: 'NULL',
  merged:
    '(SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY time) FROM others, unnest(others.times) AS time)',
};

/** The median of several groups is not that of their medians. */
const times: Part = {
  column: 'times',
  made: 'array_agg(s.ms) FILTER (WHERE s.ms IS NOT NULL)',
  none: 'NULL',
};

/**
 * The columns that some measures of deals need, and no other: what is not asked for costs nothing.
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
