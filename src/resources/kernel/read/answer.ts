/**
 * Reading the JSON that an answer is made of. The REST interface limits neither how many records belong to a
 * contact nor how large each of them is, and an answer passes through the memory of a process that serves
 * everybody: a large one is only fetched once there is room for it.
 */
import { largestBytes, ordinaryBytes } from '../../../context/budget.ts';
import type { UnitOfWork } from '../../../context/context.ts';
import type { Prepare } from '../../../db/database.ts';
import type { Selection } from '../../../db/sql/shape.ts';
import { join, name, raw, type Sql, type Statement, sql } from '../../../db/sql/sql.ts';
import { Fault } from '../../../errors/errors.ts';
import { JsonText } from '../../../json/json.ts';
import { parseLargeJson } from '../../../json/large_json.ts';
import { eventLoopQueue } from '../../../lib/event_loop_queue.ts';

const tooLarge = `The answer would have more than ${largestBytes / 1024 / 1024} MiB: GraphQL can ask for a part of it`;

/** Characters of JSON from which on parsing it keeps the process busy for milliseconds. */
const long = 256 * 1024;

/** A query of one row, one column of which is the JSON text of an object or a list. */
export interface Reading {
  readonly query: () => Sql;
  /** The column with the text. */
  readonly text: string;
  /** Its other columns. */
  readonly others?: readonly string[];
  /** What {@link ordinary} made of it before. */
  readonly composed?: Statement;
  /** Whether it takes so little that others may wait for it, whatever its client asks for besides. */
  readonly isShort?: boolean;
}

/** The SQL of a reading, with the number of bytes in place of a text too large for most answers. */
export const ordinary = (reading: Reading): Sql => withSizeAbove(ordinaryBytes, reading);

function withSizeAbove(max: number, { query, text, others = [] }: Reading): Sql {
  const column = name(text);
  const size = sql`octet_length(${column})`;
  const bounded = sql`CASE WHEN ${size} <= ${raw(String(max))} THEN ${column} ELSE ${size}::text END AS ${column}`;
  // Without an OFFSET the text would be built twice: to be measured, and to be sent.
  return sql`SELECT ${join([bounded, ...others.map(name)])} FROM (${query()} OFFSET 0) AS answer`;
}

type Row<Others> = Others & Readonly<Record<string, string>>;

interface RowText<Others> {
  readonly text: string;
  /** The whole row. */
  readonly row: Others;
  readonly isLarge: boolean;
}

/** A value that was read, and the row that it was in. */
interface Answer<T, Others> {
  readonly value: T;
  readonly row: Others;
}

/** How the statement of a selection is prepared: clients shape any number of them. */
export const prepareFor = ({ ownSelection }: UnitOfWork): Prepare =>
  ownSelection ? 'always' : 'ifFrequent';

/**
 * Runs a reading.
 * @param prepare whether its statement stays prepared; one that does may share a connection when it is short or
 *   the selection is the service's own
 * @returns undefined when there is no row
 * @throws {Fault} VALIDATION_FAILED when the text is too large for an answer; UNAVAILABLE when no room
 *   was found for it in time
 */
export async function readAnswer<T, Others = unknown>(
  ctx: UnitOfWork,
  reading: Reading,
  prepare: Prepare = 'never',
): Promise<Answer<T, Others> | undefined> {
  const rowText = await readText<Others>(ctx, reading, prepare);
  return (
    rowText && { value: await parsed<T>(ctx, rowText.text, rowText.isLarge), row: rowText.row }
  );
}

async function parsed<T>({ viewer }: UnitOfWork, text: string, isLarge: boolean): Promise<T> {
  if (text.length > long && !isLarge) await eventLoopQueue.waitForTurn(viewer.accountId);
  // Only the caller knows what its own statement selects.
  return isLarge ? ((await parseLargeJson(text)) as T) : JSON.parse(text);
}

/**
 * The same of records, which the selection may have built as an answer shows them: nobody has to understand
 * their text then. Where it is all that the operation reads, a client's may share a connection, too.
 */
export async function readSelected<T, Others = unknown>(
  ctx: UnitOfWork,
  { shown, isAlone }: Selection,
  reading: Reading,
  prepare: Prepare = 'never',
): Promise<Answer<T | JsonText, Others> | undefined> {
  if (!shown) return readAnswer<T, Others>(ctx, reading, prepare);
  const mayShare = isAlone || undefined;
  const rowText = await readText<Others>(ctx, reading, prepare, mayShare);
  return rowText && { value: new JsonText(rowText.text), row: rowText.row };
}

/** SQL of what stands between the texts of {@link readTexts}. Strings of JSON escape it. */
export const divider = raw("E'\\x1e'");

interface Texts {
  readonly texts: readonly string[];
  /** What one of them stands for, or the text itself where the selection has it built as an answer shows it. */
  read<T>(text: string): Promise<T | JsonText>;
}

/**
 * Runs a reading whose column has several texts of JSON, with {@link divider} between them.
 * @returns undefined when there is no row
 * @throws {Fault} as {@link readAnswer}
 */
export async function readTexts(
  ctx: UnitOfWork,
  { shown }: Selection,
  reading: Reading,
): Promise<Texts | undefined> {
  const rowText = await readText(ctx, reading, 'never');
  if (!rowText) return undefined;
  const { text: all, isLarge } = rowText;
  return {
    texts: all.split('\x1e'),
    read: async (text) => (shown ? new JsonText(text) : parsed(ctx, text, isLarge)),
  };
}

async function readText<Others = unknown>(
  ctx: UnitOfWork,
  reading: Reading,
  prepare: Prepare,
  mayShare = ctx.ownSelection || reading.isShort === true,
): Promise<RowText<Others> | undefined> {
  const [row] = await ctx.budget.ask(() =>
    ctx.db.query<Row<Others>>(reading.composed ?? ordinary(reading), {
      prepare,
      shares: prepare !== 'never' && mayShare,
      reads: true,
    }),
  );
  if (!row) return undefined;
  const text = row[reading.text] ?? '';
  if (isSize(text)) return readLarge(ctx, reading, Number(text));
  const turn = ctx.budget.spend(text.length);
  if (turn) await turn;
  return { text, row, isLarge: false };
}

/** Whether a number stands where an object or a list would. */
const isSize = (text: string): boolean => /^\d/.test(text);

async function readLarge<Others>(
  ctx: UnitOfWork,
  reading: Reading,
  bytes: number,
): Promise<RowText<Others> | undefined> {
  if (bytes > largestBytes) throw new Fault('VALIDATION_FAILED', [tooLarge]);
  const [row] = await ctx.budget.large(bytes, () =>
    ctx.db.query<Row<Others>>(withSizeAbove(largestBytes, reading), {
      prepare: 'never',
      reads: true,
    }),
  );
  if (!row) return undefined;
  const text = row[reading.text] ?? '';
  // It has grown since it was measured.
  if (isSize(text)) throw new Fault('VALIDATION_FAILED', [tooLarge]);
  return { text, row, isLarge: true };
}
