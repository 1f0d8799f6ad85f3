import type { Queryable } from '../../src/db/database.ts';
import type { ShapeName, Shapes } from '../../src/db/shape.ts';
import { type Sql, sql } from '../../src/db/sql.ts';
import { Fault } from '../../src/errors.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { searchStatement } from '../../src/search/statement.ts';

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

const onlyId = () => sql`json_build_object('id', r.id)`;

export async function searchPage<Data = { readonly id: number }>(
  db: Queryable,
  { shape, query, accountId, shapes: allowed = shapes }: Asked,
  page: number,
  perPage: number,
  record: (alias: string) => Sql = onlyId,
): Promise<{ readonly count: number; readonly data: readonly Data[] }> {
  const search = parseSearch(query, shape, allowed);
  const request = { shape, shapes: allowed, accountId, search, page, perPage, record };
  const [row] = await db.query<{ count: number; data: string }>(searchStatement(request));
  if (!row) throw new Error('A search returned no row');
  return { count: row.count, data: JSON.parse(row.data) };
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
