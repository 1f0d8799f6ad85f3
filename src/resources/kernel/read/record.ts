/** Reading one record, and answering a write with the record as written. */
import type { UnitOfWork } from '../../../context/context.ts';
import { conflict } from '../../../db/errors.ts';
import { type PositionFrom, type Rows, Select } from '../../../db/sql/select.ts';
import type { Selection, ShapeName } from '../../../db/sql/shape.ts';
import {
  type AccountId,
  accountParameter,
  empty,
  type Form,
  name,
  ofAccount,
  Sql,
  sql,
  statementFor,
  type Template,
  template,
} from '../../../db/sql/sql.ts';
import { notFound } from '../../../errors/errors.ts';
import { tables } from '../../../generated/shapes.ts';
import { JsonText } from '../../../json/json.ts';
import { memoize, memoizePair } from '../../../lib/memoize.ts';
import { shapes } from '../../shapes.ts';
import { requireExpected, versionOf } from '../write/version.ts';
import { ordinary, prepareFor, type Reading, readSelected } from './answer.ts';
import { type RecordResult, type RecordValues, valuesOf } from './record_result.ts';

export const select = new Select(shapes);

/**
 * One record with everything selected beneath it, in one statement. If it is built as an answer shows it, its version
 * is noted, too, for contexts that want it.
 * @throws {Fault} NOT_FOUND when the account has none of this id; VALIDATION_FAILED when it is too
 *   large for an answer
 */
export async function getRecord(
  ctx: UnitOfWork,
  shape: ShapeName,
  id: number,
  selection: Selection,
): Promise<RecordResult> {
  const answer = await readSelected<RecordValues, VersionRow>(
    ctx,
    selection,
    reading(shape, selection, ctx.viewer.accountId, id),
    prepareFor(ctx),
  );
  if (!answer) throw notFound();
  if (selection.shown) ctx.noteVersion?.(answer.row.version, id);
  return answer.value;
}

/** A row with a record as an answer shows it, which its version stands beside. */
interface VersionRow {
  readonly version: string;
}

const versionBeside = (shape: ShapeName, { shown }: Selection, alias: string): Sql =>
  shown ? sql`, ${versionOf(shapes[shape], alias)} AS version` : empty;

export const idAlone: Selection = { fields: ['id'], relations: [] };

const versionAlone: Selection = { fields: ['version'], relations: [] };

/**
 * @throws {Fault} NOT_FOUND when the account has no record of this id; PRECONDITION_FAILED when it
 *   has not the version that is expected
 */
export async function requireRecord(ctx: UnitOfWork, shape: ShapeName, id: number): Promise<void> {
  const record = await getRecord(ctx, shape, id, ctx.expected ? versionAlone : idAlone);
  requireExpected(ctx, String(valuesOf(record).version));
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

/**
 * Says why a removal found no record to remove; unless a version is expected there is only one reason.
 * @throws {Fault} as {@link requireRecord} does
 * @throws {DatabaseError} conflict, when there is one of that version by now
 */
export async function refuseRemoval(ctx: UnitOfWork, shape: ShapeName, id: number): Promise<never> {
  if (!ctx.expected) throw notFound();
  return refuseMissing(ctx, shape, id);
}

// The text depends on the selection alone.
const readingsOf = memoize((_: Selection) => new Map<string, Template>());

const idParameter = Symbol('id');

function reading(shape: ShapeName, selection: Selection, accountId: number, id: number): Reading {
  const others = selection.shown ? ['version'] : [];
  const query = (account: AccountId, of: number | typeof idParameter) =>
    sql`SELECT ${select.record(shape, selection, account, 'r')} AS record${versionBeside(shape, selection, 'r')}
    FROM ${name(shapes[shape].table)} AS r WHERE r.account_id = ${account} AND r.id = ${of}`;
  const known = readingsOf(selection);
  let byId = known.get(shape);
  if (!byId) {
    const marked = () => query(accountParameter, idParameter);
    const parameters = [accountParameter, idParameter];
    byId = template(ordinary({ query: marked, text: 'record', others }), parameters);
    known.set(shape, byId);
  }
  const isShort = selection.relations.length === 0;
  return {
    query: () => query(accountId, id),
    text: 'record',
    others,
    composed: byId.of([accountId, id]),
    isShort,
  };
}

/** What a write returns. */
interface Row extends VersionRow {
  readonly id: number;
  readonly record: string;
}

/** Of a write that can read nothing beneath its record. */
const noRows: Rows = {};

// The text depends on these alone, and a kind of write gives the same rows each time: it is composed once.
const returningOf = memoize((selection: Selection) =>
  memoize((rows: Rows) =>
    memoizePair((shape: ShapeName, positionFrom: PositionFrom) => {
      const record = select.record(
        shape,
        selection,
        accountParameter,
        'written',
        positionFrom,
        rows,
      );
      const version = versionBeside(shape, selection, 'written');
      return sql`SELECT written.id, ${record} AS record${version} FROM written`;
    }),
  ),
);

function built(
  { noteVersion }: UnitOfWork,
  { shown }: Selection,
  { id, record, version }: Row,
): RecordResult {
  if (!shown) return JSON.parse(record);
  noteVersion?.(version, id);
  return new JsonText(record);
}

/**
 * Runs a write and returns the record as written.
 * @param steps the write's WITH queries, or their form where only their values differ from one write to the other; the
 *   one named `written` returns the record's row
 * @param positionFrom the row's own column, where the write changes those that `computed` columns are computed from
 * @param rows what stands in for the tables of records beneath: a WITH query that returns all of them that the write
 *   changes, or a table that it leaves alone. Give the same object each time: the composed text is found by it
 * @returns undefined when `written` returned nothing
 */
export async function writeRecord(
  ctx: UnitOfWork,
  shape: ShapeName,
  selection: Selection,
  steps: Sql | Form<Sql>,
  positionFrom: PositionFrom = 'subquery',
  rows: Rows = noRows,
): Promise<RecordResult | undefined> {
  const isComplete = isWithin(selection, shape, rows);
  const content = isComplete ? selection : idAlone;
  const answer = returningOf(content)(rows)(shape, positionFrom);
  const statement =
    steps instanceof Sql
      ? sql`WITH ${steps} ${ofAccount(answer, ctx.viewer.accountId)}`
      : statementFor(content, steps, (composed) => sql`WITH ${composed} ${answer}`);
  const [row] = await ctx.db.query<Row>(statement, { prepare: prepareFor(ctx) });
  if (!row) return undefined;
  // Tables do not show a statement its own changes, so records beneath take a second statement.
  return isComplete ? built(ctx, selection, row) : getRecord(ctx, shape, row.id, selection);
}

/**
 * Runs the write of a call that does nothing but write one record, together with what keeps its answer.
 * @param steps of {@link writeRecord}; they write nothing where `known` has a row
 * @returns the record as written; undefined, and nothing is run, without a key, and where the answer shows anything else
 *   than a route usually does
 */
export function insertIdempotently(
  ctx: UnitOfWork,
  shape: ShapeName,
  selection: Selection,
  steps: () => Sql,
): Promise<RecordResult> | undefined {
  const { inlineIdempotency, ownSelection } = ctx;
  if (!inlineIdempotency || !ownSelection || !selection.shown) return undefined;
  if (!isWithin(selection, shape, noRows)) return undefined;
  const query = ofAccount(returningOf(selection)(noRows)(shape, 'subquery'), ctx.viewer.accountId);
  const writing = inlineIdempotency.write<Row>(tables[shape].one, steps(), query);
  return writing.then((row) => built(ctx, selection, row));
}

/** Whether all selected records beneath can be read from the given rows. */
const isWithin = (selection: Selection, shape: ShapeName, rows: Rows): boolean =>
  selection.relations.every((relation) => {
    const to = shapes[shape].associations[relation.association]?.to;
    return to !== undefined && to in rows && isWithin(relation.selection, to, rows);
  });
