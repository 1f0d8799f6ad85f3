/** Reading one record, and answering a write with the record as written. */
import type { UnitOfWork } from '../../context.ts';
import { conflict } from '../../db/errors.ts';
import { type Form, type Rows, Select } from '../../db/select.ts';
import type { Selection, ShapeName } from '../../db/shape.ts';
import {
  type AccountId,
  empty,
  forAnyAccount,
  name,
  type Sql,
  type Statement,
  sql,
  theAccount,
} from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { tables } from '../../generated/shapes.ts';
import { JsonText } from '../../json.ts';
import { memoize } from '../../memoize.ts';
import { shapes } from '../shapes.ts';
import { ordinary, type Reading, readAnswer, readText } from './answer.ts';
import { requireExpected } from './version.ts';

/** A record as the database built it: timestamps in PostgreSQL's format, free-form JSON as text. */
export type Stored = Readonly<Record<string, unknown>>;

export const select = new Select(shapes);

/**
 * One record with everything selected beneath it, in one statement.
 * @throws {Fault} NOT_FOUND when the account has none of this id; VALIDATION_FAILED when it is too
 *   large for an answer
 */
export async function getRecord(
  ctx: UnitOfWork,
  shape: ShapeName,
  id: number,
  selection: Selection,
): Promise<Stored> {
  const read = await readAnswer<Stored>(
    ctx,
    reading(shape, selection, ctx.viewer.accountId, id, 'stored'),
    ctx.ownSelection || 'when frequent',
  );
  if (!read) throw notFound();
  return read.value;
}

/**
 * The same as an answer shows it; its version is told to whoever wants to know.
 * @param selection of a document
 */
export async function showRecord(
  ctx: UnitOfWork,
  shape: ShapeName,
  id: number,
  selection: Selection,
): Promise<JsonText> {
  const read = await readText<{ readonly version: string }>(
    ctx,
    reading(shape, selection, ctx.viewer.accountId, id, 'shown'),
    ctx.ownSelection || 'when frequent',
  );
  if (!read) throw notFound();
  ctx.noteVersion?.(read.row.version);
  return new JsonText(read.text);
}

export const idAlone: Selection = { fields: ['id'], relations: [] };

const versionAlone: Selection = { fields: ['version'], relations: [] };

/**
 * @throws {Fault} NOT_FOUND when the account has no record of this id; PRECONDITION_FAILED when it has not the
 *   version that is expected
 */
export async function requireRecord(ctx: UnitOfWork, shape: ShapeName, id: number): Promise<void> {
  const { version } = await getRecord(ctx, shape, id, ctx.expected ? versionAlone : idAlone);
  requireExpected(ctx, String(version));
}

/**
 * Says why a write found no record to write.
 * @throws {Fault} as {@link requireRecord} does
 * @throws {DatabaseError} conflict, when there is one by now
 */
export async function refuseMissing(ctx: UnitOfWork, shape: ShapeName, id: number): Promise<never> {
  await requireRecord(ctx, shape, id);
  throw conflict();
}

// The text depends on the selection alone. It is composed once, so that it is the same string each
// time and need not be hashed or compared again. Its first value is the account, its last the id.
const readingsOf = memoize((_: Selection) => new Map<string, Statement>());

/** What is shown comes with its version, beside. */
function reading(
  shape: ShapeName,
  selection: Selection,
  accountId: number,
  id: number,
  form: Form,
): Reading {
  const others = form === 'shown' ? ['version'] : [];
  const version = form === 'shown' ? sql`, ${select.version(shape, 'r')} AS version` : empty;
  const query = (
    account: AccountId,
  ) => sql`SELECT ${select.record(shape, selection, account, 'r', {}, 'by each', form)}::text AS record${version}
    FROM ${name(shapes[shape].table)} AS r WHERE r.account_id = ${account} AND r.id = ${id}`;
  const known = readingsOf(selection);
  const key = `${shape} ${form}`;
  let written = known.get(key);
  if (!written) {
    const reading = ordinary({ query: () => query(theAccount), text: 'record', others });
    const { text, values } = forAnyAccount(reading);
    written = { text, values: values.slice(0, -1) };
    known.set(key, written);
  }
  const composed = { text: written.text, values: [accountId, ...written.values, id] };
  return { query: () => query(accountId), text: 'record', others, composed };
}

/**
 * Runs a write and returns the record as written.
 * @param steps the write's WITH queries; the one named `written` returns the record's row
 * @param rows where the same statement can read records beneath: a WITH query that returns all of
 *   them that the write changes, or a table that it leaves alone
 * @param told whether the row itself holds the columns that other rows tell, because the write
 *   changes those too
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
  const isComplete = isWithin(selection, shape, rows);
  const returned = isComplete ? selection : columnsOf(selection);
  const [row] = await ctx.db.query<{ id: number; record: string }>(
    sql`WITH ${steps} SELECT written.id, ${select.record(shape, returned, ctx.viewer.accountId, 'written', rows, told ? 'in the row' : 'by each')}::text AS record FROM written`,
    { named: ctx.ownSelection || 'when frequent' },
  );
  if (!row) return undefined;
  // Tables do not show a statement its own changes, so records beneath take a second statement.
  return isComplete ? JSON.parse(row.record) : getRecord(ctx, shape, row.id, selection);
}

/**
 * The same of a call that does nothing else: when it came with a key and its answer shows what a route usually
 * does, the statement stores that, too.
 */
export async function writeOnlyRecord(
  ctx: UnitOfWork,
  shape: ShapeName,
  selection: Selection,
  steps: Sql,
): Promise<Stored | undefined> {
  const { keeping } = ctx;
  if (!keeping || !ctx.ownSelection || !isWithin(selection, shape, {})) {
    return writeRecord(ctx, shape, selection, steps);
  }
  const [row] = await keeping.query<{ record: string }>(
    sql`WITH ${steps}, shown AS (
        SELECT written.id, ${select.record(shape, selection, ctx.viewer.accountId, 'written')}::text AS record FROM written
      ), kept AS (${keeping.step(tables[shape].one)}) SELECT record FROM shown`,
    { named: true },
  );
  return row && JSON.parse(row.record);
}

/** Whether all selected records beneath can be read from the given rows. */
const isWithin = (selection: Selection, shape: ShapeName, rows: Rows): boolean =>
  selection.relations.every((relation) => {
    const to = shapes[shape].associations[relation.association]?.to;
    return to !== undefined && to in rows && isWithin(relation.selection, to, rows);
  });

const columnsOf = memoize(({ fields }: Selection): Selection => ({ fields, relations: [] }));
