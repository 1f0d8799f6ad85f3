import { authorize, readScopesOf, requireScopes, rightOf } from '../../auth/policy.ts';
import { allows } from '../../auth/scopes.ts';
import type { Context } from '../../context/context.ts';
import type { ShapeName } from '../../db/sql/shape.ts';
import { join } from '../../db/sql/sql.ts';
import { Faults } from '../../errors/errors.ts';
import type { QuerySummaryArgs, SummaryGroup, SummarySubject } from '../../generated/graphql.ts';
import { tables } from '../../generated/shapes.ts';
import { compileWhere } from '../../search/compile.ts';
import { readBy, readOn } from '../../search/grouping.ts';
import { followsFrom, isMany, isOwnText, Joins, repeats } from '../../search/joins.ts';
import { type MeasureSelection, readMeasures } from '../../search/measures.ts';
import { isSame } from '../../search/search.ts';
import { tablesOfAttributes } from '../../search/tables.ts';
import { readLimit } from '../kernel/read/limit.ts';
import { shapes } from '../shapes.ts';
import { keyedBy } from './groupings.ts';
import { maxGroups, type Plan } from './plan.ts';
import { readUnsortedQuery } from './query.ts';
import { notOnePeriod, runPlan } from './run.ts';
import { readSpan, spanConditions } from './span.ts';
import { Figures, type MeasuredAttribute, measuredBy, type Row } from './summary_figures.ts';

const subjects = {
  CONTACTS: 'contacts',
  DEALS: 'deals',
  DEAL_PRODUCTS: 'deal_products',
  EVENTS: 'events',
  PRODUCTS: 'products',
  USERS: 'users',
} as const satisfies Readonly<Record<SummarySubject, ShapeName>>;

/** What an answer shows of a summary's groups. */
export interface SummarySelection {
  readonly measures: readonly MeasureSelection[];
  /** Whether it shows what charts write for keys. */
  readonly labels: boolean;
}

/**
 * Groups and measures records of any kind by names of the search language, in one statement.
 * @returns a group for each combination of keys that occurs, in their order unless sorted; without names,
 *   one group of all
 * @throws {Fault} INVALID_SEARCH for what cannot be read, also for more than 10,000 groups;
 *   INSUFFICIENT_SCOPE for what touches records that the token may not read; VALIDATION_FAILED for a sum
 *   beyond 2^53-1
 */
export async function summarise(
  ctx: Context,
  account: unknown,
  given: Omit<QuerySummaryArgs, 'account_id'>,
  { measures: asked, labels }: SummarySelection,
): Promise<SummaryGroup[]> {
  const of = subjects[given.of];
  const { one } = tables[of];
  const accountId = authorize(ctx.viewer, account, `${one}.read`);
  const faults = new Faults('INVALID_SEARCH');
  const search = readUnsortedQuery(ctx, given.query, of, faults);
  const by = readBy(given.by ?? [], of, shapes, faults);
  const { measures, sort } = readMeasures(asked, given.sort ?? undefined, of, shapes, faults);
  const on = readOn(given.on, by, of, shapes, faults);
  const span = readSpan(given, accountId, faults);
  const limit = readLimit('limit', given.limit, maxGroups, faults);
  const { fill } = given;
  if (fill && by.filter(({ unit }) => unit).length !== 1) {
    faults.add('fill', notOnePeriod('a moment with its period, such as created_at.month,', 'by'));
  }
  faults.throwIfAny();
  const dated = span.from !== undefined || span.to !== undefined ? [on] : [];
  const grouped = [...by.map(({ attribute }) => attribute), ...dated];
  const named = [...grouped, ...measures.map(({ attribute }) => attribute)];
  const touched = [...tablesOfAttributes(named, of, shapes)];
  requireScopes(ctx.viewer, readScopesOf(touched.map((table) => tables[table].one)));
  const mayName = (table: ShapeName) =>
    allows(ctx.viewer.scopes, rightOf(`${tables[table].one}.read`).scope);
  const figures = new Figures(measures, limit !== undefined);
  const isApart = ({ attribute }: MeasuredAttribute) => isMany(attribute, of, shapes);
  const isOwn = ({ attribute }: MeasuredAttribute) => isOwnText(attribute, shapes[of]);
  const isRepeated = grouped.some((attribute) => repeats(attribute, of, shapes));
  const once = isRepeated || figures.inputs.some(isApart) ? undefined : figures.once;
  const joinsTo = (alias: string) => new Joins({ shape: shapes[of], alias }, shapes, accountId);
  const late = joinsTo('s');
  /** The rows that the groups need, joined to the records: those of another input stand by themselves. */
  const joined = () => {
    const joins = joinsTo('r');
    const keys = by.map((name, at) => {
      const isLate = !name.unit && followsFrom(name.attribute, once, of, shapes);
      const setting = { of, accountId, joins: isLate ? late : joins, zone: span.zone, mayName };
      return { ...keyedBy(name, at + 1, setting), isLate };
    });
    const days = dated.map((attribute) => spanConditions(span, joins.valueOf(attribute)));
    return { joins, keys, days };
  };
  const { joins, keys, days } = joined();
  const inputs = figures.inputs
    .filter((input) => !isApart(input))
    .map((input) => ({ ...input, value: measuredBy(joins, input), isOwn: isOwn(input) }));
  const apart = figures.inputs.filter(isApart).map((input) => {
    const own = joined().joins;
    const before = own.size;
    const { attribute } = input;
    const isList = attribute.kind === 'labels' && !own.isEach(attribute);
    const value = isList ? own.wholeOf(attribute) : measuredBy(own, input);
    const kept = { ...input, value, isList, isOwn: isList && isOwn(input) };
    return { ...kept, joins: own.size > before ? own.sql : undefined };
  });
  const isFilledOn = by.some(({ unit, attribute }) => unit && isSame(attribute, on));
  const plan: Plan = {
    of,
    accountId,
    where: join([compileWhere(search, 'r', shapes, accountId), ...days], ' '),
    joins: joins.sql,
    isRepeated,
    groupings: keys.map((key, at) => ({
      ...key,
      shows: [[`v${at + 1}`, key.value], ...(labels ? [[`l${at + 1}`, key.label] as const] : [])],
    })),
    inputs,
    apart,
    parts: figures.parts,
    late: late.size > 0 ? late.sql : undefined,
    fill: fill ? (isFilledOn ? span : { from: undefined, to: undefined }) : undefined,
    sort: sort && { by: figures.order(sort), ascending: given.ascending },
    limit,
  };
  return runPlan(ctx, plan, 'by', faults, (row: Row, is_rest) => ({
    keys: by.map(({ name }, at) => ({
      by: name,
      value: row[`v${at + 1}`] ?? null,
      label: textOf(row[`l${at + 1}`]),
    })),
    is_rest,
    ...figures.read(row),
  }));
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
