/** Reading one record, and answering a write with the record that it left. */
import type { UnitOfWork } from '../../context.ts';
import { type Rows, Select } from '../../db/select.ts';
import type { Selection, ShapeName } from '../../db/shape.ts';
import { name, type Sql, type Statement, sql } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { memoize } from '../../memoize.ts';
import { shapes } from '../shapes.ts';
import { ordinary, type Reading, readAnswer } from './answer.ts';

/** A record as the database built it: timestamps in PostgreSQL's form, free-form JSON as text. */
export type Stored = Readonly<Record<string, unknown>>;

export const select = new Select(shapes);

/**
 * One record with all that is selected beneath it, in one statement.
 * @throws {Fault} NOT_FOUND when the account has none of this id; VALIDATION_FAILED when all of it
 *   is too large for an answer
 */
export async function getRecord(
  ctx: UnitOfWork,
  shape: ShapeName,
  id: number,
  selection: Selection,
): Promise<Stored> {
  const read = await readAnswer<Stored>(
    ctx,
    reading(shape, selection, ctx.viewer.accountId, id),
    ctx.ownSelection || 'when frequent',
  );
  if (!read) throw notFound();
  return read.value;
}

export const idAlone: Selection = { fields: ['id'], relations: [] };

/** @throws {Fault} NOT_FOUND when the account has no record of this id */
export async function requireRecord(ctx: UnitOfWork, shape: ShapeName, id: number): Promise<void> {
  await getRecord(ctx, shape, id, idAlone);
}

// The text of a reading depends on its selection alone. Written once, it is the same string each
// time, which spares its composition, its hashing and its comparison. Its last two values are the
// account and the id.
const readingsOf = memoize((_: Selection) => new Map<ShapeName, Statement>());

function reading(shape: ShapeName, selection: Selection, accountId: number, id: number): Reading {
  const whole = () => sql`SELECT ${select.record(shape, selection, 'r')}::text AS record
    FROM ${name(shapes[shape].table)} AS r WHERE r.account_id = ${accountId} AND r.id = ${id}`;
  const known = readingsOf(selection);
  let written = known.get(shape);
  if (!written) {
    const { text, values } = ordinary({ whole, text: 'record' });
    written = { text, values: values.slice(0, -2) };
    known.set(shape, written);
  }
  const composed = { text: written.text, values: [...written.values, accountId, id] };
  return { whole, text: 'record', composed };
}

/**
 * Runs a write and returns the record that it left.
 * @param steps the write's WITH queries; the one named `written` returns the record's row
 * @param rows where the same statement finds records beneath: a WITH query that returns all that
 *   the write changes of them, or a table that it does not touch
 * @param told whether the record's row holds what other rows tell of it, because the write changes
 *   that, too
 * @returns undefined when `written` returned nothing
 */
export async function writeRecord(
  ctx: UnitOfWork,
  shape: ShapeName,
  selection: Selection,
  steps: Sql,
  rows: Rows = {},
  told = false,
): Promise<Stored | undefined> {
  const whole = isWithin(selection, shape, rows);
  const returned = whole ? selection : columnsOf(selection);
  const [row] = await ctx.db.query<{ id: number; record: string }>(
    sql`WITH ${steps} SELECT written.id, ${select.record(shape, returned, 'written', rows, told ? 'in the row' : 'elsewhere')}::text AS record FROM written`,
    { named: ctx.ownSelection || 'when frequent' },
  );
  if (!row) return undefined;
  // A statement does not see its own changes through the tables, so what lies beneath is read
  // by one of its own.
  return whole ? JSON.parse(row.record) : getRecord(ctx, shape, row.id, selection);
}

/** Whether all records beneath are among the given. */
const isWithin = (selection: Selection, shape: ShapeName, rows: Rows): boolean =>
  selection.relations.every((relation) => {
    const to = shapes[shape].associations[relation.association]?.to;
    return to !== undefined && to in rows && isWithin(relation.selection, to, rows);
  });

const columnsOf = memoize(({ fields }: Selection): Selection => ({ fields, relations: [] }));
