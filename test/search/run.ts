import type { Queryable } from '../../src/db/database.ts';
import type { ShapeName, Shapes } from '../../src/db/sql/shape.ts';
import { type Sql, type Statement, sql, type Template } from '../../src/db/sql/sql.ts';
import { Fault } from '../../src/errors/errors.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { readPageCursor, writePageCursor } from '../../src/search/cursor.ts';
import { formOf } from '../../src/search/form.ts';
import { keysetStatement } from '../../src/search/keyset.ts';
import { sortKeysOf } from '../../src/search/order.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { type SearchRequest, searchStatement } from '../../src/search/statement.ts';

export interface Asked {
  readonly shape: ShapeName;
  readonly query: unknown;
  readonly accountId: number;
  readonly perPage?: number;
  readonly shapes?: Shapes;
}

/** Runs a search page by page until its last: the ids in order, and the count of each page. */
export async function searchAll(
  db: Queryable,
  asked: Asked,
): Promise<{ readonly ids: readonly number[]; readonly counts: readonly number[] }> {
  const ids: number[] = [];
  const counts: number[] = [];
  const perPage = asked.perPage ?? 100;
  for (let page = 1; ; page++) {
    const { count, data } = await searchPage(db, asked, page, perPage);
    counts.push(count);
    ids.push(...data.map(({ id }) => id));
    if (data.length < perPage) return { ids, counts };
  }
}

const onlyId = () => sql`json_build_object('id', r.id)::text`;

export async function searchPage<Data = { readonly id: number }>(
  db: Queryable,
  { shape, query, accountId, shapes: allowed = shapes }: Asked,
  page: number,
  perPage: number,
  record: (alias: string) => Sql = onlyId,
): Promise<{ readonly count: number; readonly data: readonly Data[] }> {
  const search = parseSearch(query, shape, allowed);
  const request = { shape, shapes: allowed, accountId, search, page, perPage, record };
  const statement =
    record === onlyId ? composed(request, 'counted', searchStatement) : searchStatement(request);
  const [row] = await db.query<{ count: number; data: string }>(statement);
  if (!row) throw new Error('A search returned no row');
  return { count: row.count, data: JSON.parse(row.data) };
}

const templates = new Map<string, Template>();

/** As the service does it: the text is that of the first search of the same form. */
function composed(
  request: SearchRequest,
  kind: 'counted' | 'walk',
  statementOf: (request: SearchRequest) => Sql,
): Statement {
  const form = formOf(request);
  if (!form) return statementOf(request);
  const key = `${kind} ${form.key}`;
  const known = templates.get(key) ?? form.template(statementOf);
  templates.set(key, known);
  return known.of(form.values);
}

/** More records than any account of a test has. */
const mostWalked = 10_000;

/** Walks a search from place to place until its end: the ids in order. */
export async function walkAll(
  db: Queryable,
  { shape, query, accountId, perPage = 100, shapes: allowed = shapes }: Asked,
): Promise<readonly number[]> {
  const search = parseSearch(query, shape, allowed);
  const keys = sortKeysOf(search, allowed);
  const request = { shape, shapes: allowed, accountId, search, page: 1, perPage, record: onlyId };
  const beginning = composed(request, 'walk', (of) => keysetStatement({ ...of, isCounted: false }));
  const ids: number[] = [];
  let cursor: string | undefined;
  do {
    const after = cursor === undefined ? undefined : readPageCursor(keys, cursor);
    if (cursor !== undefined && !after) throw new Error(`${cursor} cannot be read`);
    const [row] = await db.query<{ data: string; items: number; place: string | null }>(
      after ? keysetStatement({ ...request, after, isCounted: false }) : beginning,
    );
    if (!row) throw new Error('A walk returned no row');
    const { items, place } = row;
    const data: readonly { readonly id: number }[] = JSON.parse(row.data);
    ids.push(...data.map(({ id }) => id));
    const isMore = items > perPage;
    cursor =
      isMore && place !== null ? writePageCursor(keys, JSON.parse(place), ids.length) : undefined;
    if (isMore && cursor === undefined) throw new Error('A full page told no place');
    if (ids.length > mostWalked) throw new Error('The walk has no end');
  } while (cursor !== undefined);
  return ids;
}

/** What a query is refused for, by key; undefined when it is not. */
export function refusal(shape: ShapeName, query: unknown, allowed: Shapes = shapes) {
  try {
    parseSearch(query, shape, allowed);
    return undefined;
  } catch (error) {
    if (error instanceof Fault && error.code === 'INVALID_SEARCH') return { ...error.fields };
    throw error;
  }
}
