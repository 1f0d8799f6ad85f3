import { name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { midnight } from '../../db/sql/timestamp.ts';
import { units } from '../../search/grouping.ts';
import type { Part } from '../../search/measures.ts';
import type { Grouping } from './groupings.ts';
import type { Span } from './span.ts';

/** A grouping by periods. */
export type Periodic = Grouping & Required<Pick<Grouping, 'period'>>;

export const isPeriodic = (one: Grouping): one is Periodic => one.period !== undefined;

/**
 * Adds to the groups `made` those of periods without records, for each existing combination of the other
 * groupings: from the first day of the span, or the first period with records, to the last.
 * @param max groups wanted; one more at most is made, which shows that there are too many
 * @returns WITH queries, each followed by a comma; the last, `filled`, has the columns of `made`
 */
export function filling(
  { column, period: { unit } }: Periodic,
  others: readonly Grouping[],
  parts: readonly Part[],
  { from, to }: Pick<Span, 'from' | 'to'>,
  max: number,
): Sql {
  const its = name(column);
  const end = (day: string | undefined, otherwise: string) =>
    day === undefined
      ? sql`(SELECT ${raw(otherwise)}(${its}) FROM made)`
      : sql`date_trunc(${raw(`'${unit}'`)}, ${midnight(day)})`;
  const keys = others.map((grouping) => `"${grouping.column}"`);
  const list = (prefix: string) => raw(keys.map((key) => `, ${prefix}${key}`).join(''));
  // Numbers, because keys may be null, and no join treats two nulls as equal.
  const [kind, kinds] =
    keys.length === 0
      ? [sql`1`, sql`SELECT 1 AS kind`]
      : [
          sql`dense_rank() OVER (ORDER BY ${raw(keys.join(', '))})`,
          sql`SELECT DISTINCT ON (kind) kind${list('')} FROM ranked`,
        ];
  const figures = parts.map(
    ({ column: of, none }) => `, coalesce(had."${of}", ${none}) AS "${of}"`,
  );
  return sql`ranked AS (SELECT made.*, ${kind} AS kind FROM made),
    kinds AS (${kinds}),
    periods AS (
      SELECT generate_series(${end(from, 'min')}, ${end(to, 'max')}, ${raw(`'${units[unit].length}'::interval`)}) AS ${its}
      LIMIT ${max + 1}
    ),
    filled AS (
      SELECT periods.${its}${list('kinds.')}${raw(figures.join(''))}
      FROM kinds CROSS JOIN periods
        LEFT JOIN ranked AS had ON had.kind = kinds.kind AND had.${its} = periods.${its}
      LIMIT ${max + 1}
    ),`;
}
