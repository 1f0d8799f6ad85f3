import { authorize, readScopesOf, requireScopes } from '../../../auth/policy.ts';
import { everything as everyScope, type RequiredScope } from '../../../auth/scopes.ts';
import { type Context, faultsOf } from '../../../context/context.ts';
import type { PositionFrom } from '../../../db/sql/select.ts';
import type { Selection, ShapeName } from '../../../db/sql/shape.ts';
import { type AccountId, sql, statementFor } from '../../../db/sql/sql.ts';
import { Fault, type Faults, InsufficientScope } from '../../../errors/errors.ts';
import { tables } from '../../../generated/shapes.ts';
import { JsonText } from '../../../json/json.ts';
import { formOf } from '../../../search/form.ts';
import { frequencyOf } from '../../../search/frequency.ts';
import { keysetStatement } from '../../../search/keyset.ts';
import { sortKeysOf } from '../../../search/order.ts';
import {
  knownCount,
  type Pagination,
  pagination,
  readCounting,
  readPage,
} from '../../../search/page.ts';
import { parseSearch } from '../../../search/parse.ts';
import { everything, type Group, type Search, type Sort } from '../../../search/search.ts';
import { records, type SearchRequest, searchStatement } from '../../../search/statement.ts';
import { tablesOf } from '../../../search/tables.ts';
import { writeCursor } from '../../changes/cursor.ts';
import { readHorizon } from '../../changes/horizon.ts';
import { cursorNow, cursorOf } from '../../changes/now.ts';
import { shapes, specified } from '../../shapes.ts';
import { ordinary, readSelected } from './answer.ts';
import { estimateCount } from './estimate.ts';
import { readAfter, staleCursor, withCursor } from './next_page.ts';
import { select } from './record.ts';
import type { RecordValues } from './record_result.ts';
import { findSimilar, mayBeSimilar } from './similar.ts';

/** The arguments of a search, as the client sent them. */
export interface SearchArguments {
  readonly query?: unknown;
  readonly page?: unknown;
  readonly per_page?: unknown;
  readonly after?: unknown;
  readonly count?: unknown;
}

export interface Page {
  /** The records, or the text of their list where the selection wants them as an answer shows them. */
  readonly data: RecordValues[] | JsonText;
  readonly pagination: Pagination;
}

/** A page of what a search finds. */
export interface SearchPage extends Page {
  /** Whether the records match what was typed as `q`, or are only like it. */
  readonly match: Match;
}

type Match = 'EXACT' | 'SIMILAR';

/**
 * The records of a page for a use case that looks into them.
 * @throws {Error} when their selection had them built as an answer shows them
 */
export function recordsOf({ data }: Page): RecordValues[] {
  if (data instanceof JsonText) throw new Error('only the text of the records was selected');
  return data;
}

interface Row {
  readonly count: number | null;
  /** Records that were found for the page, with one behind it where that was looked for. */
  readonly items: number;
  readonly place: string | null;
  readonly is_known?: boolean;
  readonly cursor: string;
}

/**
 * One page of the records that match and the number of all that match, in one statement; an estimate of
 * that number takes another.
 * @param order when the query has none; by id unless given
 * @param within what all of them must meet besides the query
 * @throws {Fault} INVALID_SEARCH naming every key that cannot be read; VALIDATION_FAILED when the
 *   page is too large for an answer; CURSOR_GONE when only a record's text says where to go on, and it has
 *   another now
 */
export async function getPage(
  ctx: Context,
  shape: ShapeName,
  args: SearchArguments,
  selection: Selection,
  order: readonly Sort[] = [],
  within: Group = everything,
): Promise<SearchPage> {
  const faults = faultsOf(ctx, 'INVALID_SEARCH');
  const query = readQuery(ctx, args.query, shape, faults);
  const where =
    within === everything ? query.where : { ...everything, groups: [within, query.where] };
  const search = { ...query, where, sorts: query.sorts.length > 0 ? query.sorts : order };
  const keys = sortKeysOf(search, shapes);
  const counting = readCounting(args.count, faults);
  const after = readAfter(args, keys, faults);
  const { page, perPage } = readPage(args.page, args.per_page, faults);
  const { noteCursor } = ctx;
  const { accountId } = ctx.viewer;
  if (noteCursor) authorize(ctx.viewer, accountId, 'change.read');
  const horizon = noteCursor && (await readHorizon(ctx.db));
  const request = {
    shape,
    shapes,
    accountId,
    search,
    page,
    perPage,
    record: (alias: string, positionFrom: PositionFrom, account: AccountId) =>
      select.record(shape, selection, account, alias, positionFrom),
  };
  const isCounted = counting === 'exact';
  const isKeyset = after !== undefined || !isCounted;
  const frequency = isKeyset ? undefined : frequencyOf(request);
  const planned = { ...request, isRare: frequency?.isRare };
  const statementOf = (of: SearchRequest) =>
    isKeyset ? keysetStatement({ ...of, after, isCounted }) : searchStatement(of);
  const reading = {
    query: () => {
      const matches = statementOf(planned);
      // In one statement, and so of one moment.
      return horizon
        ? sql`SELECT *, ${cursorNow(accountId, horizon)}::text AS cursor FROM (${matches}) AS found`
        : matches;
    },
    text: 'data',
    others: [
      ...['count', 'items', 'place'],
      ...(isKeyset ? ['is_known'] : []),
      ...(noteCursor ? ['cursor'] : []),
    ],
  };
  const form = after !== undefined || horizon ? undefined : formOf(planned);
  const statement =
    form &&
    statementFor(selection, { ...form, key: `${isCounted} ${form.key}` }, (of) =>
      ordinary({ ...reading, query: () => statementOf(of) }),
    );
  const prepared = statement ? { ...reading, composed: statement } : reading;
  const finding = readSelected<RecordValues[], Row>(ctx, selection, prepared, 'ifFrequent');
  // It may have failed because looking a common text up took too long: the next is planned for it.
  void finding.catch(() => frequency?.note(undefined));
  const [answer, estimate] = isKeyset
    ? await Promise.all([finding, counting === 'estimate' ? estimateCount(ctx, search) : undefined])
    : [await finding];
  if (!answer) throw new Error('a search returned nothing');
  const { value: data, row } = answer;
  if (row.is_known === false) throw staleCursor();
  noteCursor?.(writeCursor(cursorOf(row.cursor)));
  const { place } = row;
  const count = row.count ?? 0;
  frequency?.note(count);
  const isNothing = row.items === 0 && (isCounted ? count === 0 : page === 1);
  if (isNothing && !after && mayBeSimilar(search)) {
    const similar = await similarPage(ctx, request, selection);
    if (similar) return similar;
  }
  if (!isKeyset) {
    const pages = pagination(page, perPage, count, row.items);
    return noted(ctx, data, withCursor(pages, keys, place));
  }
  const isMore = row.items > perPage;
  const items = isMore ? perPage : row.items;
  const before = after?.before ?? (page - 1) * perPage;
  const extent = { before, items, isMore };
  const known = isCounted ? { count, counted: 'exact' as const } : knownCount(extent, estimate);
  const number = after ? Math.floor(before / perPage) + 1 : page;
  const pages = pagination(number, perPage, known.count, items, extent, known.counted);
  return noted(ctx, data, withCursor(pages, keys, place));
}

/** A page of what is like the words that were typed; undefined where nothing is. */
async function similarPage(
  ctx: Context,
  request: SearchRequest,
  selection: Selection,
): Promise<SearchPage | undefined> {
  const ids = await findSimilar(ctx, request.search);
  if (ids.length === 0) return undefined;
  const { page, perPage } = request;
  const pageIds = ids.slice((page - 1) * perPage, page * perPage);
  const reading = {
    query: () =>
      sql`SELECT shown.data, shown.items FROM ${records(request, sql`${pageIds}::bigint[]`)} AS shown`,
    text: 'data',
    others: ['items'],
  };
  const answer = await readSelected<RecordValues[], Row>(ctx, selection, reading, 'ifFrequent');
  if (!answer) throw new Error('a search returned nothing');
  const { value, row } = answer;
  return noted(ctx, value, pagination(page, perPage, ids.length, row.items), 'SIMILAR');
}

function noted(
  { notePage }: Context,
  data: Page['data'],
  pagination: Pagination,
  match: Match = 'EXACT',
): SearchPage {
  notePage?.({ ...pagination, match });
  return { data, pagination, match };
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
    const known = searches === 'specified' ? specified : shapes;
    const search = parseSearch(query, shape, known, viewer.defaultCountry);
    if (viewer.scopes !== everyScope) requireScopes(viewer, scopesFor(search));
    return search;
  } catch (error) {
    if (!(error instanceof Fault) || error instanceof InsufficientScope) throw error;
    faults.addFault(error);
    return { shape, where: everything, sorts: [] };
  }
}

/** The scopes that a search takes beside that of what it finds. */
const scopesFor = (search: Search): readonly RequiredScope[] =>
  readScopesOf([...tablesOf(search, shapes)].map((table) => tables[table].one));
