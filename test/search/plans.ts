/** How PostgreSQL means to run a search. */
import type { Client, QueryResultRow } from 'pg';
import type { ShapeName } from '../../src/db/sql/shape.ts';
import { sql } from '../../src/db/sql/sql.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { fold } from '../../src/search/fold.ts';
import { keysetStatement } from '../../src/search/keyset.ts';
import { sortKeysOf } from '../../src/search/order.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { everything } from '../../src/search/search.ts';
import { candidatesStatement, searchStatement } from '../../src/search/statement.ts';
import { withWords } from '../../src/search/words.ts';
import type { TestDatabase } from '../kit/database.ts';
import { pg } from '../kit/shared.ts';

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Sort Key'?: readonly string[];
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Node[];
}

interface Explained extends QueryResultRow {
  readonly 'QUERY PLAN': readonly { readonly Plan: Node }[];
}

/** The first page of a search. */
const firstPage = (shape: ShapeName, accountId: number, query: object) =>
  searchStatement(requestOf(shape, accountId, query));

const requestOf = (shape: ShapeName, accountId: number, query: object) => ({
  shape,
  shapes,
  accountId,
  search: parseSearch(query, shape, shapes),
  page: 1,
  perPage: 10,
  record: () => sql`json_build_object('id', r.id)::text`,
});

/**
 * All nodes of the plan by which a walk goes on.
 * @param value of what the search is sorted by, where it has got to
 */
export async function planBehind(
  database: TestDatabase,
  shape: ShapeName,
  accountId: number,
  query: object,
  value: string | number,
): Promise<readonly Node[]> {
  const request = requestOf(shape, accountId, query);
  const [, ...more] = sortKeysOf(request.search, shapes);
  const after = { values: [value, ...more.map(() => 1)], before: 10 };
  const { text, values } = keysetStatement({ ...request, after, isCounted: false });
  return nodesOf(await database.query<Explained>(`EXPLAIN (FORMAT JSON) ${text}`, [...values]));
}

/** How many rows of its table PostgreSQL looks at for the first page of a search. */
export async function rowsReadBy(
  database: TestDatabase,
  shape: ShapeName,
  accountId: number,
  query: object,
): Promise<number> {
  const { text, values } = firstPage(shape, accountId, query);
  const explained = `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`;
  const nodes = nodesOf(await database.query<Explained>(explained, [...values]));
  const read = nodes
    .filter((node) => node['Relation Name'] === shapes[shape].table)
    .map((node) => {
      const each = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
      return each * (node['Actual Loops'] ?? 0);
    });
  return read.reduce((sum, rows) => sum + rows, 0);
}

/** All nodes of the plan of the first page of a search. */
export async function planOf(
  database: TestDatabase,
  shape: ShapeName,
  accountId: number,
  query: object,
): Promise<readonly Node[]> {
  const { text, values } = firstPage(shape, accountId, query);
  return nodesOf(await database.query<Explained>(`EXPLAIN (FORMAT JSON) ${text}`, values));
}

/** All nodes of the plan by which what has one of some words, as they are folded, is looked at for what is similar. */
export async function planOfCandidates(
  database: TestDatabase,
  shape: ShapeName,
  accountId: number,
  words: readonly string[],
): Promise<readonly Node[]> {
  const loose = [{ words: words.map(fold) }];
  const typed = { all: [], phrase: '', others: [], numbers: [], loose };
  const search = withWords(typed, shapes[shape], { shape, where: everything, sorts: [] });
  const { text, values } = candidatesStatement(search, shapes, accountId);
  return nodesOf(await database.query<Explained>(`EXPLAIN (FORMAT JSON) ${text}`, values));
}

/** The same of the plan that serves any values, which a prepared statement comes to. */
export async function genericPlanOf(
  database: TestDatabase,
  shape: ShapeName,
  accountId: number,
  query: object,
): Promise<readonly Node[]> {
  const { text, values } = firstPage(shape, accountId, query);
  return inSession(database, async (session) => {
    await session.query(`SET plan_cache_mode = force_generic_plan; PREPARE search AS ${text}`);
    const given = values.map((value) => session.escapeLiteral(String(value))).join(', ');
    const { rows } = await session.query<Explained>(
      `EXPLAIN (FORMAT JSON) EXECUTE search (${given})`,
    );
    return nodesOf(rows);
  });
}

/** How often searches that differ in their values alone run by a plan that serves any values. */
export async function generallyPlanned(
  database: TestDatabase,
  shape: ShapeName,
  accountId: number,
  queries: readonly object[],
): Promise<number> {
  return inSession(database, async (session) => {
    for (const query of queries) {
      const { text, values } = firstPage(shape, accountId, query);
      await session.query({ name: 'search', text, values: [...values] });
    }
    const { rows } = await session.query<{ times: number }>(
      "SELECT generic_plans::int AS times FROM pg_prepared_statements WHERE name = 'search'",
    );
    return rows[0]?.times ?? Number.NaN;
  });
}

async function inSession<T>({ url }: TestDatabase, work: (on: Client) => Promise<T>): Promise<T> {
  const session = new pg.Client(url);
  await session.connect();
  try {
    return await work(session);
  } finally {
    await session.end();
  }
}

function nodesOf(rows: readonly Explained[]): readonly Node[] {
  const nodes = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodes)];
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodes(Plan)));
}

export const readsInSequence = (plan: readonly Node[], table: string): boolean =>
  plan.some((node) => node['Node Type'] === 'Seq Scan' && node['Relation Name'] === table);

/** Whether an index finds rows by a column. */
export const findsBy = (plan: readonly Node[], column: string): boolean =>
  // The rows of the page are fetched by their ids, whatever was searched.
  plan.some(({ 'Index Cond': cond = '' }) => !cond.includes('page.id') && named(cond, column));

/** Whether all that is found is sorted, instead of read in its order as far as the page goes. */
export const sortsAll = (plan: readonly Node[]): boolean =>
  plan.some(
    (node) =>
      node['Node Type'] === 'Sort' && !node['Sort Key']?.every((key) => key === 'page.place'),
  );

const named = (condition: string, column: string) => new RegExp(`\\b${column}\\b`).test(condition);
