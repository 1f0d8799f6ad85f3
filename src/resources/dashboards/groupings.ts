/** What records are counted by. */
import type { Selection, Shape, ShapeName } from '../../db/sql/shape.ts';
import { name, raw, type Sql, sql } from '../../db/sql/sql.ts';
import { localTime } from '../../db/sql/timestamp.ts';
import { associationOf, column as columnOf, referredTo } from '../../search/associations.ts';
import { byCodePoint } from '../../search/comparisons.ts';
import { type GroupingName, type Unit, units } from '../../search/grouping.ts';
import type { Joins } from '../../search/joins.ts';
import { select } from '../kernel/read/record.ts';
import { resources, shapes } from '../shapes.ts';

export interface Grouping {
  /** The column of the groups that holds the key. */
  readonly column: string;
  /** SQL over the records' rows, and over those joined to them. */
  readonly key: Sql;
  /** A join to the groups, `g`, that what is shown and the order need. */
  readonly names?: Sql;
  /** What a group shows, by SQL over the groups and what is joined to them. */
  readonly shows: readonly (readonly [as: string, shown: Sql])[];
  readonly order: Sql;
  /** The key is of rows that are joined to groups of records, `s`, which have what says which rows these are. */
  readonly isLate?: boolean;
  /** The key is the first moment of a period, that of a moment; a record without one is in no group. */
  readonly period?: { readonly unit: Unit; readonly moment: Sql };
}

/** A key, and what charts write for it. */
export interface KeyGrouping extends Omit<Grouping, 'shows'> {
  readonly value: Sql;
  readonly label: Sql;
  /** The record that the key is the id of, where its name may be shown. */
  readonly named?: { readonly table: ShapeName; readonly alias: string; readonly title: Sql };
}

export interface Setting {
  /** What is grouped. */
  readonly of: ShapeName;
  readonly accountId: number;
  readonly joins: Joins;
  readonly zone: Sql;
  /** Whether names of these records may be shown. */
  readonly mayName: (table: ShapeName) => boolean;
}

/**
 * The key of a name that stands at a place, from 1.
 * @param value the attribute's, where the statement has it already
 */
export function keyedBy(
  { attribute, unit }: GroupingName,
  place: number,
  of: Setting,
  value: Sql = of.joins.valueOf(attribute),
): KeyGrouping {
  const column = `k${place}`;
  const group = columnOf('g', column);
  if (unit) {
    const shown = (format: string) => sql`to_char(${group}, ${raw(`'${format}'`)})`;
    return {
      column,
      key: sql`date_trunc(${raw(`'${unit}'`)}, ${localTime(value, of.zone)})`,
      value: shown(units.day.format),
      label: shown(units[unit].format),
      order: group,
      period: { unit, moment: value },
    };
  }
  const owner = attribute.path.reduce(
    (at, step) => shapes[associationOf(at, step).to],
    shapes[of.of],
  );
  if (attribute.kind === 'text' || attribute.kind === 'labels') {
    const isLong = attribute.key !== undefined || isLongText(owner, attribute.column);
    // As many as groups may be must be bearable together.
    const key = isLong ? sql`left(${value}, ${raw(String(longest))})` : value;
    const isStage = owner.table === 'stages' && attribute.column === 'name';
    const order = byCodePoint(group);
    return {
      column,
      key: attribute.kind === 'labels' ? key : sql`nullif(${key}, '')`,
      value: group,
      label: group,
      order: isStage ? sql`${firstOfStages(group, of.accountId)}, ${order}` : order,
    };
  }
  const plain = { column, key: value, value: group, order: group };
  const table = referredTo(owner, attribute.column);
  const title = table && titleOf(table);
  if (!table || !title || !of.mayName(table)) return { ...plain, label: sql`${group}::text` };
  const alias = `n${place}`;
  const shown = columnOf(alias, title);
  return {
    ...plain,
    label: sql`coalesce(nullif(${shown}, ''), ${group}::text)`,
    names: sql`LEFT JOIN ${name(table)} AS ${name(alias)} ON ${name(alias)}.account_id = ${of.accountId} AND ${name(alias)}.id = ${group}`,
    named: { table, alias, title: shown },
    ...(table === 'stages' && {
      order: sql`${columnOf(alias, 'pipeline_id')}, ${columnOf(alias, 'position')}, ${group}`,
    }),
  };
}

/** The record whose id the key is, as JSON with what is selected of it. */
export const recordOf = ({ named }: KeyGrouping, selection: Selection, accountId: number): Sql =>
  named
    ? sql`CASE WHEN ${columnOf(named.alias, 'id')} IS NOT NULL THEN ${select.record(named.table, selection, accountId, named.alias)}::json END`
    : raw('NULL::json');

/** Characters of a text by which records are grouped. */
const longest = 255;

function isLongText({ table }: Shape, column: string): boolean {
  const { fields } = Object.values(resources).find((one) => one.table === table) ?? {};
  const field = Object.entries(fields ?? {}).find(([name]) => name === column)?.[1];
  return (field?.limits?.maxLength ?? 0) > longest;
}

/** Stages of one name stand where the first of them does. */
const firstOfStages = (stage: Sql, accountId: number): Sql =>
  sql`(SELECT min(ARRAY[pipeline_id, position::bigint]) FROM stages WHERE account_id = ${accountId} AND name = ${stage})`;

const titleOf = (table: ShapeName): string | undefined =>
  ['full_name', 'name'].find((column) => column in shapes[table].columns);
