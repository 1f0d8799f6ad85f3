/** Updating fields that rules connect: read the record, apply the rules, write the result. */
import type { UnitOfWork } from '../../../context/context.ts';
import { conflict } from '../../../db/errors.ts';
import { castOf, type Selection } from '../../../db/sql/shape.ts';
import { empty, name, raw, Sql, sql } from '../../../db/sql/sql.ts';
import { isoTimestamp } from '../../../db/sql/timestamp.ts';
import { type Changes, changesBetween } from '../../audit/changes.ts';
import { isAudited } from '../../audit/columns.ts';
import { auditEntries, entriesOf } from '../../audit/entry.ts';
import type { Fields } from '../fields/input.ts';
import { getRecord, writeRecord } from '../read/record.ts';
import type { RecordResult } from '../read/record_result.ts';
import type { Resource, Values } from '../resource.ts';
import { clock } from './moment.ts';
import { hasRowVersions, rowVersionOf, versionOf } from './version.ts';

/**
 * A record as it was read before a change. `version` is what clients know it by, and `row_version`, where that is another,
 * tells whether its row has changed since. `moment` is when it was read, and thus, where a rule writes it, when the change
 * happens: nothing else comes in between.
 */
export type Current<F extends Fields> = Values<F> & {
  readonly id: number;
  readonly version: string;
  readonly row_version?: string;
  readonly moment: Date;
};

/** A row as the database returns it, with its timestamps as texts. */
export type Unread<Row extends { moment: Date }> = Omit<Row, 'moment'> & {
  readonly moment: string;
};

/**
 * How a change made meanwhile is noticed: by comparing the version of the row, or not at all, because the row
 * is locked, as rows have to be that several servers have copies of, each with a version of its own.
 */
type Guard = 'compared' | 'locked';

/**
 * What has to be read of a record before it is changed.
 * @param alias of its row
 * @returns the columns to select, and a function that turns such a row into a {@link Current}
 */
export function snapshot<F extends Fields>(resource: Resource<F>, alias: string) {
  const { table, columns } = resource;
  const stored = Object.keys(columns).filter((column) => isAudited(table, column));
  const selected = stored.map((column) => {
    const cast = columns[column] === 'json' ? '::text' : '';
    return `"${alias}"."${column}"${cast}`;
  });
  const rowVersion = hasRowVersions(resource)
    ? empty
    : sql`, ${rowVersionOf(alias)} AS row_version`;
  const moments = stored.filter((column) => columns[column] === 'timestamp');
  return {
    columns: sql`${name(alias)}.id, ${versionOf(resource, alias)} AS version${rowVersion}, ${clock} AS moment, ${raw(selected.join(', '))}`,
    read: <Row extends Current<F>>(row: Unread<Row>): Row => {
      const values: Record<string, unknown> = { ...row, moment: new Date(row.moment) };
      for (const column of moments) {
        const moment = values[column];
        if (typeof moment === 'string') values[column] = isoTimestamp(moment);
      }
      return values as Row;
    },
  };
}

/**
 * Reads a record that is to be changed: undefined when the account has none of this id.
 * @typeParam Identified columns that identify it beside its id, and are not fields
 */
export function currentOf<F extends Fields, Identified = unknown>(
  resource: Resource<F>,
  guard: Guard = 'compared',
) {
  const { columns, read: readRow } = snapshot(resource, 'r');
  const lock = raw(guard === 'locked' ? ' FOR NO KEY UPDATE' : '');
  return async (ctx: UnitOfWork, id: number): Promise<(Current<F> & Identified) | undefined> => {
    const [row] = await ctx.db.query<Unread<Current<F> & Identified>>(
      sql`SELECT ${columns} FROM ${name(resource.table)} AS r
        WHERE r.account_id = ${ctx.viewer.accountId} AND r.id = ${id}${lock}`,
    );
    return row && readRow(row);
  };
}

/** Additions to the statement of a change. */
interface Extras {
  /** The moment of the change. */
  readonly at?: Sql | undefined;
  /** Assignments to columns whose values are not sent, each followed by a comma. */
  readonly set?: Sql | undefined;
  /** Columns that the row returns besides its own, each preceded by a comma. */
  readonly computed?: Sql;
  /** WITH queries to run first, each followed by a comma. */
  readonly first?: Sql | undefined;
  /** WITH queries that may refer to the row as `written`, each preceded by a comma. */
  readonly also?: Sql | undefined;
  /** Entries of the audit trail that precede the record's own, and that follow it. */
  readonly earlier?: readonly Sql[] | undefined;
  readonly later?: readonly Sql[] | undefined;
}

/**
 * Writes a record that was read before, with an audit entry of what differs. When nothing does,
 * nothing is written.
 */
export function overwriting<F extends Fields>(resource: Resource<F>, guard: Guard = 'compared') {
  const { table, written, one } = resource;
  const strings = [
    `UPDATE "${table}" SET updated_at = `,
    ', ',
    ...written.map((column, at) => {
      const before = written[at - 1];
      return `${before ? `::${castOf(resource, before)}, ` : ''}"${column}" = `;
    }),
    `::${castOf(resource, written.at(-1) ?? '')} WHERE account_id = `,
    ' AND id = ',
    ...(guard === 'compared' ? [` AND ${rowVersionOf().text} = `] : []),
    ' RETURNING *, xmin',
    '',
  ];
  /** @throws {DatabaseError} conflict, when the record changed since; a broken constraint */
  return async (
    ctx: UnitOfWork,
    before: Current<F>,
    after: Values<F>,
    selection: Selection,
    {
      at = clock,
      set = empty,
      computed = empty,
      first = empty,
      also = empty,
      earlier = [],
      later = [],
    }: Extras = {},
    changes: Changes | undefined = changesBetween<Values<F>>(before, after),
  ): Promise<RecordResult> => {
    if (!changes) return getRecord(ctx, table, before.id, selection);
    const values: Readonly<Record<string, unknown>> = after;
    const { id, version, row_version = version } = before;
    const update = new Sql(strings, [
      at,
      set,
      ...written.map((column) => values[column]),
      ctx.viewer.accountId,
      id,
      ...(guard === 'compared' ? [row_version] : []),
      computed,
    ]);
    const own = entriesOf(`${one}.update`, 'written', changes);
    const steps = sql`${first} written AS (${update})${also},
      audit AS (${auditEntries(ctx, ...earlier, own, ...later)})`;
    const positionFrom = computed === empty ? 'subquery' : 'column';
    const record = await writeRecord(ctx, table, selection, steps, positionFrom);
    if (!record) throw conflict();
    return record;
  };
}
