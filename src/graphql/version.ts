/** The version of the one record that an answer shows, for who wants to know it beside what is selected. */
import type { Context } from '../context.ts';
import type { Selection } from '../db/shape.ts';
import { memoize } from '../memoize.ts';
import { type Asked, selectionOf } from './selection.ts';

const withVersion = memoize(
  ({ fields, relations }: Selection): Selection => ({ fields: [...fields, 'version'], relations }),
);

/** Where the record is what a use case returns, rather than in it. */
export const itself: readonly string[] = [];

/**
 * Has a use case return what is selected, and tells the version of the record.
 * @param path fields between what is returned and the record
 */
export function telling<T>(
  ctx: Context,
  info: Asked,
  path: readonly string[],
  run: (selection: Selection) => Promise<T>,
): Promise<T> {
  const selection = selectionOf(info, path);
  return ctx.noteVersion ? noting(ctx, run(withVersion(selection)), path) : run(selection);
}

/** The same of a record that comes with its version, whatever is selected. */
export async function noting<T>(
  { noteVersion }: Context,
  returning: Promise<T>,
  path = itself,
): Promise<T> {
  const returned = await returning;
  let record: unknown = returned;
  for (const name of path) record = Reflect.get(Object(record), name);
  noteVersion?.(String(Reflect.get(Object(record), 'version')));
  return returned;
}
