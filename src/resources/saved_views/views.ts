/** Views of lists that people save: their own, and those that somebody shares with the account. */
import { authorize, readId } from '../../auth/policy.ts';
import { type Context, faultsOf, type UnitOfWork } from '../../context/context.ts';
import { raw, type Sql, sql } from '../../db/sql/sql.ts';
import { coded } from '../../errors/codes.ts';
import { Faults, forbidden, invalid, notFound } from '../../errors/errors.ts';
import { attributes } from '../kernel/fields/attributes.ts';
import { flag, nameField, oneOf, required } from '../kernel/fields/fields.ts';
import { type Input, type ParsedInput, readFields, readNew } from '../kernel/fields/input.ts';
import { readQuery } from '../kernel/read/page.ts';
import { lockAlone } from '../kernel/write/lock.ts';
import { inTransaction } from '../kernel/write/transaction.ts';

/** Views of one user. */
const maxOfUser = 100;

/** The lists that there are, and the records that each searches. */
const lists = {
  contacts: 'contacts',
  deals: 'deals',
  board: 'deals',
  products: 'products',
} as const;

type List = keyof typeof lists;

const names = ['contacts', 'deals', 'board', 'products'] as const satisfies readonly List[];

const fields = {
  list: required(oneOf(names)),
  name: nameField,
  filters: attributes,
  query: attributes,
  shared: flag,
};

export type SavedView = {
  readonly id: number;
  readonly user_id: number;
  readonly list: List;
  readonly name: string;
  /** JSON of an object, as `query` is. */
  readonly filters: string;
  readonly query: string;
  readonly shared: boolean;
};

const columns = raw(
  'id, user_id, list, name, filters::text AS filters, query::text AS query, shared',
);

/** The viewer's own and those that others share, by list and name. */
export async function listViews(ctx: Context, account: unknown): Promise<SavedView[]> {
  const accountId = authorize(ctx.viewer, account, 'saved_view.read');
  return ctx.db.query<SavedView>(
    sql`SELECT ${columns} FROM saved_views WHERE account_id = ${accountId} AND (user_id = ${ctx.viewer.userId} OR shared)
      ORDER BY list, lower(name), id LIMIT 1000`,
    { reads: true },
  );
}

/**
 * Saves a view as the viewer's.
 * @throws {Fault} VALIDATION_FAILED for an invalid field, or one view too many; INVALID_SEARCH for a query that
 *   searches of the list's records would refuse
 */
export async function createView(ctx: Context, account: unknown, input: Input): Promise<SavedView> {
  const accountId = authorize(ctx.viewer, account, 'saved_view.create');
  const { userId } = ctx.viewer;
  const faults = faultsOf(ctx);
  const values = readNew(input, fields, faults);
  faults.throwIfAny();
  requireQuery(ctx, values.list, values.query);
  const { list, name, filters = '{}', query = '{}', shared = false } = values;
  return inTransaction(ctx, async (tx) => {
    await requireRoom(tx, userId);
    const [view] = await tx.db.query<SavedView>(
      sql`INSERT INTO saved_views (account_id, user_id, list, name, filters, query, shared)
        VALUES (${accountId}, ${userId}, ${list}, ${name}, ${filters}::json, ${query}::json, ${shared})
        RETURNING ${columns}`,
    );
    if (!view) throw new Error('the new view was not returned');
    return view;
  });
}

/** Requests that save a view at the same time wait for each other here. */
async function requireRoom({ db, viewer }: UnitOfWork, user: number | null): Promise<void> {
  const { accountId } = viewer;
  await lockAlone(db, accountId, 'views');
  const [row] = await db.query<{ count: number }>(
    sql`SELECT count(*) AS count FROM saved_views WHERE account_id = ${accountId} AND user_id = ${user}`,
  );
  if ((row?.count ?? 0) >= maxOfUser)
    throw invalid('name', coded('too_large', `is one of more than ${maxOfUser} views`));
}

/**
 * Changes those fields of a view that are sent.
 * @throws {Fault} NOT_FOUND; FORBIDDEN for another's, to all but admins; as {@link createView} does
 */
export async function updateView(
  ctx: Context,
  account: unknown,
  id: unknown,
  input: Input,
): Promise<SavedView> {
  authorize(ctx.viewer, account, 'saved_view.update');
  const viewId = readId(id);
  const { list: before } = await ownView(ctx, viewId);
  const faults = faultsOf(ctx);
  const values = readFields(input, fields, faults);
  faults.throwIfAny();
  requireQuery(ctx, values.list ?? before, values.query);
  const assignment = (column: keyof typeof fields, value: unknown, type: string): Sql =>
    sql`${raw(column)} = coalesce(${value ?? null}::${raw(type)}, ${raw(column)})`;
  const [view] = await ctx.db.query<SavedView>(
    sql`UPDATE saved_views SET ${assignment('list', values.list, 'text')}, ${assignment('name', values.name, 'text')},
        ${assignment('filters', values.filters, 'json')}, ${assignment('query', values.query, 'json')}, ${assignment('shared', values.shared, 'boolean')}
      WHERE account_id = ${ctx.viewer.accountId} AND id = ${viewId} RETURNING ${columns}`,
  );
  if (!view) throw notFound();
  return view;
}

/** @throws {Fault} NOT_FOUND; FORBIDDEN for another's, to all but admins */
export async function deleteView(
  ctx: Context,
  account: unknown,
  id: unknown,
): Promise<{ readonly id: number }> {
  const accountId = authorize(ctx.viewer, account, 'saved_view.delete');
  const viewId = readId(id);
  await ownView(ctx, viewId);
  await ctx.db.query(
    sql`DELETE FROM saved_views WHERE account_id = ${accountId} AND id = ${viewId}`,
  );
  return { id: viewId };
}

/** A view that the viewer may change. */
async function ownView({ db, viewer }: Context, id: number): Promise<Pick<SavedView, 'list'>> {
  const { accountId, userId, role } = viewer;
  const [view] = await db.query<Pick<SavedView, 'list' | 'user_id' | 'shared'>>(
    sql`SELECT list, user_id, shared FROM saved_views WHERE account_id = ${accountId} AND id = ${id}`,
  );
  if (!view || (view.user_id !== userId && !view.shared)) throw notFound();
  if (view.user_id !== userId && role !== 'admin') throw forbidden();
  return view;
}

/** @param query JSON of an object; undefined where none was sent */
function requireQuery(
  ctx: Context,
  list: ParsedInput<typeof fields>['list'],
  query?: string,
): void {
  if (query === undefined || list === undefined) return;
  const faults = new Faults('INVALID_SEARCH');
  readQuery(ctx, JSON.parse(query), lists[list], faults);
  faults.throwIfAny();
}
