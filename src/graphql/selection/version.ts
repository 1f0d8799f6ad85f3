/**
 * Versions of records: that of the record which an answer shows, for callers that need it beside what is
 * selected, and that of the record which a call is to change.
 */
import type { Context } from '../../context/context.ts';
import type { Selection } from '../../db/sql/shape.ts';
import { Fault } from '../../errors/errors.ts';
import { memoize } from '../../lib/memoize.ts';
import { type SelectionInfo, selectionOf } from './selection.ts';

const addVersion = memoize(
  ({ fields, relations }: Selection): Selection => ({
    fields: [...new Set([...fields, 'id', 'version'])],
    relations,
  }),
);

/** Where the record is what a use case returns, rather than in it. */
export const rootPath: readonly string[] = [];

/**
 * Has a use case return what is selected, and notes the version and the id of the record.
 * @param path fields between what is returned and the record
 */
export function withVersion<T>(
  ctx: Context,
  info: SelectionInfo,
  path: readonly string[],
  run: (selection: Selection) => Promise<T>,
): Promise<T> {
  const selection = selectionOf(info, path);
  // A record that is built as an answer shows it notes its version itself.
  if (selection.shown || !ctx.noteVersion) return run(selection);
  return recordVersion(ctx, run(addVersion(selection)), path);
}

/** The same of a record that comes with its version, whatever is selected. */
export async function recordVersion<T>(
  { noteVersion }: Context,
  returning: Promise<T>,
  path = rootPath,
): Promise<T> {
  const returned = await returning;
  let record: unknown = returned;
  for (const name of path) record = Reflect.get(Object(record), name);
  const { version, id } = Object(record);
  noteVersion?.(String(version), Number(id));
  return returned;
}

/** Arguments of what changes or removes a record. */
export interface Conditional {
  /** The version that it must have; it may have any where this is left out. */
  readonly if_version?: string | null | undefined;
}

/** As the field `version` has them: the number of a transaction, or a digest. */
const form = /^(?:\d{1,10}|[\da-f]{32})$/;

/**
 * The context of a call that changes or removes a record.
 * @throws {Fault} BAD_USER_INPUT for what is no version
 */
export function expectVersion(ctx: Context, { if_version: version }: Conditional): Context {
  if (version === undefined || version === null) return ctx;
  if (form.test(version)) return { ...ctx, expected: { among: [version] } };
  throw new Fault('BAD_USER_INPUT', [
    'if_version must be a version as the field version has it: "1042"',
  ]);
}
