/** Columns that are computed from another row, the source row, as SQL. */
import { memoizePair } from '../../lib/memoize.ts';
import type { ComputedColumn, Shape, Shapes } from './shape.ts';
import { type AccountId, join, name, raw, Sql, sql } from './sql.ts';

/** The value, where the statement knows both rows. */
export const expression = (
  { value }: ComputedColumn,
  row: string,
  by: string,
  account: AccountId,
): Sql => written(value, { row: quoted(row), by: quoted(by) }, account);

/** The value as an expression over the row alone: for one row, or a few. */
export const asSubquery = (
  computed: ComputedColumn,
  shapes: Shapes,
  row: string,
  account: AccountId,
): Sql =>
  sql`(SELECT ${expression(computed, row, 'source', account)} FROM ${name(shapes[computed.by].table)} AS source
    WHERE ${isSource(computed, row, 'source', account)})`;

/** The neighbours of a row ({@link Shape.neighbours}). */
export const neighboursOf = (neighbours: string, row: string, account: AccountId): Sql =>
  written(neighbours, { row: quoted(row) }, account);

/** The value of a column of a row, as it is stored or as it follows from the row; null where there is no row. */
export function columnValue(
  { derived }: Shape,
  column: string,
  row: string,
  account: AccountId,
): Sql {
  const value = derived?.[column]?.value;
  return value === undefined
    ? sql`${name(row)}.${name(column)}`
    : written(value, { row: quoted(row) }, account);
}

/** The name of the other row beside one of a name. */
export const sourceAlias = (row: string): string => `${row}_source`;

/** A WITH query of what `fromCte` needs of the one source row that all rows have. */
export const sourceCte = (
  { by, mostly }: ComputedColumn,
  shapes: Shapes,
  accountId: AccountId,
  id: unknown,
  row: string,
): Sql =>
  sql`${name(sourceAlias(row))} AS (SELECT ${written(mostly.of, { row: quoted(row), by: quoted('source') }, accountId)} AS "of"
    FROM ${name(shapes[by].table)} AS source WHERE source.account_id = ${accountId} AND source.id = ${id}::bigint)`;

/** The value where the common source is asked once for all rows. */
export const fromCte = (
  computed: ComputedColumn,
  shapes: Shapes,
  row: string,
  account: AccountId,
): Sql => {
  const by = quoted(sourceAlias(row));
  const of = `(SELECT "of" FROM ${by})`;
  const value = written(computed.mostly.value, { row: quoted(row), by, of }, account);
  return sql`coalesce(${value}, ${asSubquery(computed, shapes, row, account)})`;
};

/** What joins the source row to the row. */
export const isSource = (
  { key }: ComputedColumn,
  row: string,
  by: string,
  account: AccountId,
): Sql => sql`${name(by)}.account_id = ${account} AND ${name(by)}.id = ${name(row)}.${name(key)}`;

/**
 * What stands after FROM or JOIN for an account's source rows, each read once and whole: fetching a long list
 * anew for each of many rows would take longer than everything else.
 */
export const sourceRows = (
  computed: ComputedColumn,
  shapes: Shapes,
  accountId: AccountId,
  by: string,
): Sql =>
  sql`(SELECT ${join([
    ...['account_id', 'id', ...computed.needs.plain].map(name),
    ...computed.needs.lists.map((list) => sql`${name(list)}[:] AS ${name(list)}`),
  ])} FROM ${name(shapes[computed.by].table)} WHERE account_id = ${accountId} OFFSET 0) AS ${name(by)}`;

/**
 * A SELECT of what the ordering columns are for a value.
 * @param value the column that holds it
 */
export const orderAt = (
  { at }: ComputedColumn,
  by: string,
  value: string,
  account: AccountId,
): Sql => written(at, { by: quoted(by), value }, account);

/** What may stand in an expression beside the account, as `$row` and so on. */
const placeholders = ['row', 'by', 'value', 'of'] as const;

/** What is to stand there instead. */
type Placeholders = Readonly<Partial<Record<(typeof placeholders)[number], string>>>;

function written(
  text: string,
  { row = '', by = '', value = '', of = '' }: Placeholders,
  account: AccountId,
): Sql {
  const around = textsOf(text, `${row}\0${by}\0${value}\0${of}`);
  const [first = ''] = around;
  return around.length === 1 ? raw(first) : new Sql(around, Array(around.length - 1).fill(account));
}

/** The texts around the accounts of an expression, as the same list each time; the code has few of them. */
const textsOf = memoizePair((text, meant): readonly string[] => {
  const values = meant.split('\0');
  const meaning = new Map<string, string>(placeholders.map((name, at) => [name, values[at] ?? '']));
  return text.replaceAll(/\$(\w+)/g, (whole, part) => meaning.get(part) || whole).split('$account');
});

/** An alias as expressions have it. */
const quoted = (alias: string): string => `"${alias}"`;
