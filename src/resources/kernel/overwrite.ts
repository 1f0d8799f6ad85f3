/** Changing what rules connect: a record is read, a rule says what becomes of it, it is written over. */
import type { Subject } from '../../auth/policy.ts';
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { castOf, type Selection } from '../../db/shape.ts';
import { empty, name, raw, Sql, sql } from '../../db/sql.ts';
import { isoTimestamp } from '../../db/timestamp.ts';
import { auditEntry, type Changes, changesBetween } from '../audit/entry.ts';
import type { Fields } from './fields.ts';
import { getRecord, type Stored, writeRecord } from './record.ts';
import type { Resource, Values } from './resource.ts';

/** A record as it stands, and what a change to it builds on. */
export type Current<F extends Fields> = Values<F> & {
  readonly id: number;
  readonly version: string;
};

/**
 * What a change reads of a record first.
 * @param alias the row's
 * @returns the columns to select, and what makes a {@link Current} of them
 */
export function snapshot<F extends Fields>({ columns, audited }: Resource<F>, alias: string) {
  const selected = audited.map((column) => {
    const cast = columns[column] === 'json' ? '::text' : '';
    return `"${alias}"."${column}"${cast}`;
  });
  const moments = audited.filter((column) => columns[column] === 'timestamp');
  return {
    columns: raw(`"${alias}".id, "${alias}".xmin::text AS version, ${selected.join(', ')}`),
    read: <Row extends Current<F>>(row: Row): Row => {
      const values: Record<string, unknown> = { ...row };
      for (const column of moments) {
        const moment = values[column];
        if (typeof moment === 'string') values[column] = isoTimestamp(moment);
      }
      return values as Row;
    },
  };
}

/** Reads what clients decide of a record: undefined when the account has none of an id. */
export function currentOf<F extends Fields>(resource: Resource<F>) {
  const { columns, read } = snapshot(resource, 'r');
  return async (ctx: UnitOfWork, id: number): Promise<Current<F> | undefined> => {
    const [row] = await ctx.db.query<Current<F>>(
      sql`SELECT ${columns} FROM ${name(resource.table)} AS r
        WHERE r.account_id = ${ctx.viewer.accountId} AND r.id = ${id}`,
      { named: true },
    );
    return row && read(row);
  };
}

/** What a change does beside writing its record. */
export interface Extras {
  /** Assignments to columns that no client decides, each with a comma behind. */
  readonly set?: Sql | undefined;
  /** What the row holds beside its columns, with a comma before. */
  readonly told?: Sql;
  /** WITH queries, each with a comma behind. */
  readonly first?: Sql | undefined;
  /** WITH queries that know the row as `written`, each with a comma before. */
  readonly also?: Sql | undefined;
}

/**
 * Writes a record over as it was read, with an audit entry of what differs; where nothing does,
 * nothing is written.
 */
export function overwriting<F extends Fields>(resource: Resource<F, Subject>) {
  const { table, written, one } = resource;
  const columns = [...written, 'updated_at'];
  const strings = [
    `UPDATE "${table}" SET `,
    ...columns.map((column, at) => {
      const before = columns[at - 1];
      return `${before ? `::${castOf(resource, before)}, ` : ''}"${column}" = `;
    }),
    '::timestamptz WHERE account_id = ',
    ' AND id = ',
    ' AND xmin = ',
    '::xid RETURNING *',
    '',
  ];
  /** @throws {DatabaseError} conflict, when the record changed since; a broken constraint */
  return async (
    ctx: UnitOfWork,
    before: Current<F>,
    after: Values<F>,
    selection: Selection,
    { set = empty, told = empty, first = empty, also = empty }: Extras = {},
    changes: Changes | undefined = changesBetween<Values<F>>(before, after),
  ): Promise<Stored> => {
    if (!changes) return getRecord(ctx, table, before.id, selection);
    const values: Readonly<Record<string, unknown>> = after;
    const { id, version } = before;
    const update = new Sql(strings, [
      set,
      ...written.map((column) => values[column]),
      ctx.now.toISOString(),
      ctx.viewer.accountId,
      id,
      version,
      told,
    ]);
    const steps = sql`${first} written AS (${update})${also},
      audit AS (${auditEntry(ctx, `${one}.update`, 'written', changes)})`;
    const record = await writeRecord(ctx, table, selection, steps, {}, told !== empty);
    if (!record) throw conflict();
    return record;
  };
}
