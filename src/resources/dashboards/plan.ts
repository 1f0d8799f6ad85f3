/** The one plan of all summaries, and its statement. */
import type { ShapeName } from '../../db/sql/shape.ts';
import { empty, join, name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import type { Part } from '../../search/measures.ts';
import { filling, isPeriodic } from './fill.ts';
import type { Grouping } from './groupings.ts';
import type { Span } from './span.ts';

/** A column of the records that aggregates read. */
export interface Input {
  readonly column: string;
  readonly value: Sql;
  readonly type: Sql;
  /** Whether it is a text or a list of the record `r` alone, which need not pass through joins that repeat `r`. */
  readonly isOwn?: boolean;
}

/** An input behind a path to several rows, which would repeat the record: it is read by itself. */
export interface SeparateInput extends Input {
  /** Left out where the records are joined to these rows anyway, because they are grouped by them. */
  readonly joins: Sql | undefined;
  /** Whether its value is a list, each of which counts: few lists are the same for many records. */
  readonly isList: boolean;
}

export interface Plan {
  readonly of: ShapeName;
  readonly accountId: number;
  /** Conditions on the records, as `r`, and on what is joined to them. */
  readonly where: Sql;
  readonly joins: Sql;
  /** Whether the joins may have a record several times in the same group. */
  readonly isRepeated: boolean;
  readonly groupings: readonly Grouping[];
  readonly inputs: readonly Input[];
  readonly apart: readonly SeparateInput[];
  readonly parts: readonly Part[];
  /** Joins to groups of records, `s`, that late groupings need. */
  readonly late?: Sql | undefined;
  /** The days between which there are groups of periods without records; for one grouping by periods. */
  readonly fill: Pick<Span, 'from' | 'to'> | undefined;
  /** What goes before the order of the groupings: SQL over the groups `g`. */
  readonly sort: { readonly by: Sql; readonly ascending: boolean } | undefined;
  /** How many groups are shown, the others summed as one; without, all of them. */
  readonly limit: number | undefined;
}

/** Where each group would be shown or filled, one more than this many are looked for at most. */
export const maxGroups = 10_000;

/**
 * @returns SQL of one row: `groups`, the JSON of a list with what each group shows and its parts; `rest`,
 *   that of an object with the parts of those beyond the limit, null where all are shown; `found`, how many
 *   groups there are
 */
export function summaryStatement(plan: Plan): Sql {
  const { groupings, parts, fill, sort, limit } = plan;
  const period = groupings.find(isPeriodic);
  const others = groupings.filter((grouping) => grouping !== period);
  const fills = fill && period ? filling(period, others, parts, fill, maxGroups) : empty;
  const order = [
    ...(sort ? [sql`${sort.by} ${raw(sort.ascending ? 'ASC' : 'DESC')} NULLS LAST`] : []),
    ...groupings.map((grouping) => grouping.order),
  ];
  const shows = groupings.flatMap((grouping) => grouping.shows);
  const shown = parts.filter(({ merged }) => merged !== undefined);
  const columns = [...shows.map(([as]) => as), ...shown.map(({ column }) => column)];
  const together = shown.map(({ column, merged }) => `'${column}', ${merged}`);
  const summed = `(SELECT json_build_object(${together.join(', ')}) FROM others LIMIT 1)`;
  const rest = raw(limit === undefined ? 'NULL' : summed);
  // Made in a WITH query of its own, because a plan that knew of the LIMIT would be one that has its
  // first groups soon, and takes longer for all of them.
  const groups =
    limit === undefined ? sql`(SELECT * FROM made LIMIT ${maxGroups + 1})` : raw('made');
  return sql`WITH made AS MATERIALIZED (${made(plan)}), ${fills} placed AS (
      SELECT ${all(shows.map(([as, value]) => sql`${value} AS ${name(as)}, `))}
        ${raw(parts.map(({ column }) => `g."${column}"`).join(', '))},
        row_number() OVER (${order.length > 0 ? sql`ORDER BY ${join(order)}` : empty}) AS place
      FROM ${fill ? raw('filled') : groups} AS g ${all(groupings.map(({ names = empty }) => names))}
    ), others AS (
      SELECT * FROM placed WHERE place > ${limit ?? maxGroups}
    )
    SELECT (
      SELECT coalesce(json_agg(row_to_json(kept)), '[]'::json) FROM (
        SELECT ${join(columns.map(name))} FROM placed WHERE place <= ${limit ?? maxGroups} ORDER BY place
      ) AS kept
    )::text AS groups, ${rest} AS rest, (SELECT count(*) FROM placed) AS found`;
}

/**
 * A SELECT of the groups that have records: their keys, and the parts. Where values of one column count once, PostgreSQL
 * first makes a group for each of them, by hashing; for `count(DISTINCT …)` it would sort all rows, which takes twice as
 * long. That pays for each column that is read apart, and for one of the records themselves unless their groups are
 * periods alone, which are sorted quickly. What follows from such a value is only joined to these groups.
 */
function made({ late, ...shown }: Plan): Sql {
  const plan = { ...shown, groupings: shown.groupings.filter(({ isLate }) => !isLate) };
  const { inputs, apart, parts } = plan;
  const keysOf = (some: readonly Grouping[]) => some.map(({ column }) => `s."${column}"`);
  const [keys, allKeys] = [keysOf(plan.groupings), keysOf(shown.groupings)];
  const grouped = (columns: readonly string[]) =>
    raw(columns.length > 0 ? ` GROUP BY ${columns.join(', ')}` : '');
  const once = inputs.filter(({ column }) => parts.some(({ distinct }) => distinct?.of === column));
  const together = once.length === 1 && !shown.groupings.every(isPeriodic) ? once : [];
  const split = [...together, ...apart];
  const isSplit = ({ distinct }: Part) => split.some(({ column }) => column === distinct?.of);
  const whole = parts.filter((part) => !isSplit(part));
  const smaller = (by: readonly Input[], own?: SeparateInput) => {
    const values = split.map((one) =>
      by.includes(one) ? sql`s.${name(one.column)}` : sql`NULL::${one.type} AS ${name(one.column)}`,
    );
    const figures = whole.map((part) => raw(`${own ? 'NULL' : part.made} AS "${part.column}"`));
    const columns = [...keys, ...by.map(({ column }) => `s."${column}"`)];
    const from = own?.isList ? each(plan, own) : rows(plan, own);
    return sql`SELECT ${join([...keys.map(raw), ...values, ...figures])} FROM (${from}) AS s${grouped(columns)}`;
  };
  const source =
    split.length > 0
      ? sql`${joined(plan)} ${join([smaller(together), ...apart.map((one) => smaller([one], one))], ' UNION ALL ')}`
      : rows(plan);
  const from = late
    ? sql`SELECT s.*, ${join(shown.groupings.filter(({ isLate }) => isLate).map(keyed))} FROM (${source}) AS s ${late}`
    : source;
  const aggregates = parts.map((part) => {
    const { column, made, again = made, distinct } = part;
    const of = split.length === 0 ? made : again;
    return `${distinct && isSplit(part) ? distinct.made : of} AS "${column}"`;
  });
  return sql`SELECT ${raw([...allKeys, ...aggregates].join(', '))} FROM (${from}) AS s${grouped(allKeys)}`;
}

const keyed = ({ key, column }: Grouping): Sql => sql`${key} AS ${name(column)}`;
const valued = ({ value, column }: Input): Sql => sql`${value} AS ${name(column)}`;
const isJoined = ({ joins }: SeparateInput): boolean => joins === undefined;

/** Whether an input is left out of `joined`, and read once for each record of a group. */
const isLate = ({ isRepeated }: Plan, { isOwn = false }: Input): boolean => isRepeated && isOwn;

/** A WITH query of the records' rows as they are joined, where several inputs are of these. */
function joined(plan: Plan): Sql {
  const apart = plan.apart.filter(isJoined);
  if (apart.length === 0) return empty;
  const inputs = [...plan.inputs, ...apart].filter((one) => !isLate(plan, one));
  const id = raw(inputs.length > 0 ? 'r.id' : 'DISTINCT r.id');
  return sql`WITH joined AS MATERIALIZED (${read({ ...plan, inputs }, plan.joins, [id])})`;
}

/** A SELECT of the records' keys and inputs, or of their keys and one input behind a path to several rows. */
function rows(plan: Plan, own?: SeparateInput): Sql {
  const inputs = own ? [own] : plan.inputs;
  const once = (id: string, isOnce = !own) => (plan.isRepeated && isOnce ? [raw(id)] : []);
  if (own ? !isJoined(own) : !plan.apart.some(isJoined)) {
    return read({ ...plan, inputs }, own?.joins ?? plan.joins, once('DISTINCT r.id'));
  }
  const late = inputs.filter((one) => isLate(plan, one));
  const early = [...plan.groupings, ...inputs.filter((one) => !late.includes(one))];
  const columns = early.map(({ column }) => name(column));
  const kept = sql`SELECT ${listed([...once('DISTINCT id', !own || late.length > 0), ...columns])} FROM joined`;
  if (late.length === 0) return kept;
  return sql`SELECT ${listed([...columns, ...late.map(valued)])} FROM (${kept}) AS s JOIN ${name(plan.of)} AS r ON r.account_id = ${plan.accountId} AND r.id = s.id`;
}

/** The same of what is in an input's lists, each of which is looked through once for the same keys. */
function each(plan: Plan, own: SeparateInput): Sql {
  const columns = plan.groupings.map(({ column }) => sql`${name(column)}, `);
  return sql`SELECT ${all(columns)}one AS ${name(own.column)} FROM (SELECT DISTINCT * FROM (${rows(plan, own)}) AS s) AS s, unnest(s.${name(own.column)}) AS one`;
}

/** A SELECT of what is given, of keys and of inputs. */
function read({ of, groupings, inputs, ...plan }: Plan, joins: Sql, given: readonly Sql[]): Sql {
  return sql`SELECT ${listed([...given, ...groupings.map(keyed), ...inputs.map(valued)])} FROM ${name(of)} AS r ${joins}
      WHERE r.account_id = ${plan.accountId} AND ${plan.where}
        ${all(groupings.filter(isPeriodic).map(({ period: { moment } }) => sql`AND ${moment} IS NOT NULL`))}`;
}

const listed = (columns: readonly Sql[]): Sql => (columns.length > 0 ? join(columns) : empty);
const all = (parts: readonly Sql[]): Sql => (parts.length > 0 ? join(parts, ' ') : empty);
