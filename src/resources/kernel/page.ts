import { authorize, readScopesOf, requireScopes } from '../../auth/policy.ts';
import { everything as everyScope, type Needed } from '../../auth/scopes.ts';
import { type Context, faultsOf } from '../../context.ts';
import type { Selection, ShapeName } from '../../db/shape.ts';
import { sql } from '../../db/sql.ts';
import { Fault, type Faults, InsufficientScope } from '../../errors.ts';
import { tables } from '../../generated/shapes.ts';
import { pagination, readPage } from '../../search/page.ts';
import { parseSearch } from '../../search/parse.ts';
import { everything, type Group, type Search, type Sort } from '../../search/search.ts';
import { searchStatement } from '../../search/statement.ts';
import { touchedBy } from '../../search/touched.ts';
import { writeCursor } from '../changes/cursor.ts';
import { readHorizon } from '../changes/horizon.ts';
import { cursorNow, cursorOf } from '../changes/now.ts';
import { shapes, specified } from '../shapes.ts';
import { readAnswer } from './answer.ts';
import { type Stored, select } from './record.ts';

/** The arguments of a search, as the client sent them. */
export interface SearchArguments {
  readonly query?: unknown;
  readonly page?: unknown;
  readonly per_page?: unknown;
}

export interface Page {
  readonly data: Stored[];
  readonly pagination: ReturnType<typeof pagination>;
}

/**
 * One page of the records that match and the number of all that match, in one statement.
 * @param order when the query has none; by id unless given
 * @param within what all of them must meet besides the query
 * @throws {Fault} INVALID_SEARCH naming every key that cannot be read; VALIDATION_FAILED when the
 *   page is too large for an answer
 */
export async function getPage(
  ctx: Context,
  shape: ShapeName,
  search: SearchArguments,
  selection: Selection,
  order: readonly Sort[] = [],
  within: Group = everything,
): Promise<Page> {
  const faults = faultsOf(ctx, 'INVALID_SEARCH');
  const query = readQuery(ctx, search.query, shape, faults);
  const where =
    within === everything ? query.where : { ...everything, groups: [within, query.where] };
  const { page, perPage } = readPage(search.page, search.per_page, faults);
  const { noteCursor } = ctx;
  if (noteCursor) authorize(ctx.viewer, ctx.viewer.accountId, 'change.read');
  const horizon = noteCursor && (await readHorizon(ctx.db));
  const read = await readAnswer<Stored[], { count: number; cursor: string }>(
    ctx,
    {
      query: () => {
        const found = searchStatement({
          shape,
          shapes,
          accountId: ctx.viewer.accountId,
          search: { shape, where, sorts: query.sorts.length > 0 ? query.sorts : order },
          page,
          perPage,
          record: (alias, telling) =>
            select.record(shape, selection, ctx.viewer.accountId, alias, {}, telling),
        });
        // In one statement, and so of one moment.
        return horizon
          ? sql`SELECT *, ${cursorNow(ctx.viewer.accountId, horizon)}::text AS cursor FROM (${found}) AS found`
          : found;
      },
      text: 'data',
      others: noteCursor ? ['count', 'cursor'] : ['count'],
    },
    'when frequent',
  );
  if (read) noteCursor?.(writeCursor(cursorOf(read.row.cursor)));
  const data = read?.value ?? [];
  return { data, pagination: pagination(page, perPage, read?.row.count ?? 0, data.length) };
}

/**
 * Reads a query of the search language.
 * @param faults receives what is wrong with it; the result is meaningless then
 * @throws {Fault} INSUFFICIENT_SCOPE when it looks at records that the viewer's token may not read
 */
export function readQuery(
  { searches, viewer }: Context,
  query: unknown,
  shape: ShapeName,
  faults: Faults,
): Search {
  try {
    const search = parseSearch(query, shape, searches === 'specified' ? specified : shapes);
    if (viewer.scopes !== everyScope) requireScopes(viewer, scopesFor(search));
    return search;
  } catch (error) {
    if (!(error instanceof Fault) || error instanceof InsufficientScope) throw error;
    for (const [key, messages] of Object.entries(error.fields ?? {})) {
      for (const message of messages) faults.add(key, message);
    }
    return { shape, where: everything, sorts: [] };
  }
}

/** The scopes that a search takes beside that of what it finds. */
const scopesFor = (search: Search): readonly Needed[] =>
  readScopesOf([...touchedBy(search, shapes)].map((table) => tables[table].one));
