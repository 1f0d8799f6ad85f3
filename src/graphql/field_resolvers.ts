/** The kinds of resolvers of root fields: each unpacks the arguments and calls one use case. */
import type { Context } from '../context/context.ts';
import type { Selection } from '../db/sql/shape.ts';
import type { BatchArguments } from '../resources/kernel/batch/request.ts';
import type { RunBatch } from '../resources/kernel/batch/run.ts';
import type { Input } from '../resources/kernel/fields/input.ts';
import type { SearchArguments } from '../resources/kernel/read/page.ts';
import type { ById, List } from '../resources/kernel/read/read.ts';
import type { Remove, Update } from '../resources/kernel/write/write.ts';
import type { MeSelection } from '../resources/users/me.ts';
import { namesIn, type SelectionInfo, selectionOf } from './selection/selection.ts';
import { type Conditional, expectVersion, rootPath, withVersion } from './selection/version.ts';

interface AccountArgs {
  readonly account_id: unknown;
}

interface RecordArgs extends AccountArgs {
  readonly id: unknown;
}

interface InputArgs extends AccountArgs {
  readonly input: Input;
}

export const recordResolver =
  (get: ById) =>
  (_: unknown, { account_id, id }: RecordArgs, ctx: Context, info: SelectionInfo) =>
    withVersion(ctx, info, rootPath, (selection) => get(ctx, account_id, id, selection));

export const pageResolver =
  (search: List) =>
  (_: unknown, args: AccountArgs & SearchArguments, ctx: Context, info: SelectionInfo) =>
    search(ctx, args.account_id, args, selectionOf(info, ['data']));

const passthroughResolvers = new WeakSet<object>();

/**
 * Resolvers of which nobody looks into the records that they return, so that these may come as an
 * answer shows them.
 */
export function passthrough<R extends object>(resolve: R): R {
  passthroughResolvers.add(resolve);
  return resolve;
}

/** Whether it is one of them. */
export const isPassthroughResolver = (resolve: object): boolean =>
  passthroughResolvers.has(resolve);

export const recordField = (get: ById) => passthrough(recordResolver(get));
export const pageField = (search: List) => passthrough(pageResolver(search));

type Create<T> = (c: Context, account: unknown, input: Input, selection: Selection) => Promise<T>;

/** @param path fields between what is returned and the record in it */
export const createResolver =
  <T>(create: Create<T>, path = rootPath) =>
  (_: unknown, { account_id, input }: InputArgs, ctx: Context, info: SelectionInfo) =>
    withVersion(ctx, info, path, (selection) => create(ctx, account_id, input, selection));

export const createField = <T>(...creation: Parameters<typeof createResolver<T>>) =>
  passthrough(createResolver(...creation));

export const updateField = (update: Update) =>
  passthrough(
    (_: unknown, args: RecordArgs & InputArgs & Conditional, ctx: Context, info: SelectionInfo) =>
      withVersion(ctx, info, rootPath, (selection) =>
        update(expectVersion(ctx, args), args.account_id, args.id, args.input, selection),
      ),
  );

export const deleteField =
  (remove: Remove) => (_: unknown, args: RecordArgs & Conditional, ctx: Context) =>
    remove(expectVersion(ctx, args), args.account_id, args.id);

export const batchField =
  (run: RunBatch) =>
  (_: unknown, { account_id, ...args }: AccountArgs & BatchArguments, ctx: Context) =>
    run(ctx, account_id, args);

export const meIn = (info: SelectionInfo): MeSelection => ({
  user: selectionOf(info, ['user']),
  token: namesIn(info).has('token') ? selectionOf(info, ['token']) : undefined,
  // The use case looks into it.
  session: namesIn(info).has('session')
    ? selectionOf({ ...info, isText: false }, ['session'])
    : undefined,
});

/** What is selected of the records that deals are grouped by. */
export const recordsIn = (info: SelectionInfo) =>
  Object.fromEntries(
    ['pipeline', 'stage', 'owner', 'creator', 'product']
      .filter((field) => namesIn(info).has(field))
      .map((field) => [field, selectionOf({ ...info, isText: false }, [field])]),
  );
