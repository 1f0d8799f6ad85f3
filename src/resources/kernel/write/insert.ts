/** Inserting, from what a resource's description and schema.prisma say of its columns. */
import type { UnitOfWork } from '../../../context/context.ts';
import { castOf, type Selection } from '../../../db/sql/shape.ts';
import { empty, Sql, sql } from '../../../db/sql/sql.ts';
import { type Author, auditEntries, creationOf } from '../../audit/entry.ts';
import type { Fields } from '../fields/input.ts';
import { insertIdempotently, writeRecord } from '../read/record.ts';
import type { RecordResult } from '../read/record_result.ts';
import type { Resource, Values } from '../resource.ts';
import { formOf } from './form.ts';

/**
 * The INSERT of a record; its text is composed once. The record was created when the row is written,
 * by the database's clock: what the statement waited for, such as a lock, lies before that.
 * @param others SQL expressions for columns whose values are not sent
 * @param from the WITH query whose row those expressions refer to
 * @param where nothing is inserted unless it holds
 * @returns by the columns of the resource's stored fields
 */
export function insertion(
  resource: Resource,
  others: Readonly<Record<string, string>> = {},
  from?: string,
  where = '',
): (author: Author, values: Readonly<Record<string, unknown>>) => Sql {
  const { table } = resource;
  const written = resource.written.filter((column) => !(column in others));
  const valueColumns = ['account_id', ...written];
  const derived = { created_at: 'clock', updated_at: 'clock', ...others };
  const columns = [...valueColumns, ...Object.keys(derived)].map((column) => `"${column}"`);
  const expressions = Object.values(derived).map((expression) => `, ${expression}`);
  const source = from
    ? `${subquery(`*, moment() AS clock FROM "${from}"`)} AS "${from}"`
    : `${subquery(`moment() AS clock ${where}`)} AS source`;
  const end = `${expressions.join('')} FROM ${source} RETURNING *, xmin`;
  const strings = [
    `INSERT INTO "${table}" (${columns.join(', ')}) SELECT `,
    ...valueColumns.map(
      (column, at) => `::${castOf(resource, column)}${valueColumns[at + 1] ? ', ' : end}`,
    ),
  ];
  return ({ viewer }, values) => {
    const parameters: unknown[] = [viewer.accountId];
    for (const column of written) parameters.push(values[column]);
    return new Sql(strings, parameters);
  };
}

/** The clock is asked once, also where a database takes what it says to stay the same within a statement. */
const subquery = (what: string) => `(SELECT ${what} OFFSET 0)`;

/**
 * Inserts nothing where the WITH query `known` has a row: the answer to an earlier call with the same key, or a contact
 * with the same e-mail. Citus wants a column in it.
 */
const unlessKnown = 'WHERE NOT EXISTS (SELECT 1 FROM known)';

/** What is around an insertion. */
interface Surroundings {
  /** WITH queries, each followed by a comma. */
  readonly first?: Sql;
  /** Entries of the audit trail. */
  readonly earlier?: readonly Sql[];
  /** Whether the call does nothing else. */
  readonly isAll?: boolean;
}

/** Inserts a record whose values are all known beforehand, with its audit entry. */
export function inserting<F extends Fields>(resource: Resource<F>) {
  const insert = insertion(resource);
  const insertUnlessKnown = insertion(resource, {}, undefined, unlessKnown);
  const own = creationOf(resource, 'written');
  const stepsOf = (
    author: Author,
    values: Readonly<Record<string, unknown>>,
    { first = empty, earlier = [] }: Surroundings = {},
    insertOne = insert,
  ) =>
    sql`${first} written AS (${insertOne(author, values)}), audit AS (${auditEntries(author, ...earlier, own)})`;
  const ordinary = formOf(`${resource.table} insert`, resource.written, (author, values) =>
    stepsOf(author, values),
  );
  const unknown = formOf(
    `${resource.table} insert unless`,
    resource.written,
    (author, values, known) =>
      stepsOf(author, values, { first: sql`known AS (${known}),` }, insertUnlessKnown),
  );
  /** @param known a query; nothing is inserted where it has a row, and nothing is returned then */
  const unless = (
    ctx: UnitOfWork,
    after: Values<F>,
    selection: Selection,
    known: Sql,
  ): Promise<RecordResult | undefined> =>
    writeRecord(ctx, resource.table, selection, unknown(ctx, after, known));
  const insertAlways = async (
    ctx: UnitOfWork,
    after: Values<F>,
    selection: Selection,
    surroundings: Surroundings = {},
  ): Promise<RecordResult> => {
    const { table } = resource;
    const { first, earlier, isAll } = surroundings;
    const alone = () => stepsOf(ctx, after, {}, insertUnlessKnown);
    const keyed = isAll && insertIdempotently(ctx, table, selection, alone);
    if (keyed) return keyed;
    const steps = first || earlier ? stepsOf(ctx, after, surroundings) : ordinary(ctx, after);
    const record = await writeRecord(ctx, table, selection, steps);
    if (!record) throw new Error(`the inserted ${resource.one} was not returned`);
    return record;
  };
  return Object.assign(insertAlways, { unless });
}
