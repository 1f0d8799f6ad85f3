/** Which records a dashboard is of, by time: those that some moment of theirs puts between two days. */
import { empty, type Sql, sql } from '../../db/sql/sql.ts';
import { localTime, midnight } from '../../db/sql/timestamp.ts';
import type { Faults } from '../../errors/errors.ts';
import type { QuerySummaryArgs } from '../../generated/graphql.ts';
import { day, zone } from '../kernel/fields/days.ts';
import { readFields } from '../kernel/fields/input.ts';

export interface Span {
  /** SQL of the zone's name. */
  readonly zone: Sql;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Reads a span, and adds what is wrong with it to the faults. */
export function readSpan(
  given: Partial<Pick<QuerySummaryArgs, 'time_zone' | 'from' | 'to'>>,
  accountId: number,
  faults: Faults,
): Span {
  const { time_zone, from, to } = given;
  const sent = readFields(
    { time_zone: time_zone ?? undefined, from: from ?? undefined, to: to ?? undefined },
    { time_zone: zone, from: day, to: day },
    faults,
  );
  if (sent.from && sent.to && sent.to < sent.from) faults.add('to', 'must not be before from');
  return {
    zone: sent.time_zone
      ? sql`${sent.time_zone}::text`
      : sql`coalesce((SELECT time_zone FROM accounts WHERE id = ${accountId}), 'UTC')`,
    from: sent.from,
    to: sent.to,
  };
}

/** @returns conditions on a moment, each with an AND before */
export function spanConditions({ zone, from, to }: Span, moment: Sql): Sql {
  // No clock is a day off UTC: what is farther away is told by the moment alone, which has an index.
  const since = from
    ? sql`AND ${moment} >= (${midnight(from)} - interval '1 day') AT TIME ZONE 'UTC'
        AND ${localTime(moment, zone)} >= ${midnight(from)}`
    : empty;
  const until = to
    ? sql`AND ${moment} < (${midnight(to)} + interval '2 days') AT TIME ZONE 'UTC'
        AND ${localTime(moment, zone)} < ${midnight(to)} + interval '1 day'`
    : empty;
  return sql`${since} ${until}`;
}
