/** The ways to the answer of a search. */
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Queryable } from '../../src/db/database.ts';
import type { Statement } from '../../src/db/sql/sql.ts';
import { ordinary } from '../../src/resources/kernel/read/answer.ts';
import { select } from '../../src/resources/kernel/read/record.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { parseSearch } from '../../src/search/parse.ts';
import { searchStatement } from '../../src/search/statement.ts';
import type { Request } from './operations/operation.ts';
import { send, type Target } from './processes.ts';
import type { SearchCase } from './search_cases.ts';
import type { Way } from './search_measure.ts';
import { largest, type Samples } from './search_seed.ts';
import { accountScan, type Handwritten, perPage } from './search_sql.ts';
import { type Line, written } from './wire.ts';

export interface Asked {
  readonly service: Target;
  readonly line: Line;
  readonly token: string;
  readonly db: Queryable;
  readonly pool: pg.Pool;
  readonly samples: Samples;
}

/** Through the service, over HTTPS. */
export async function request(asked: Asked, search: SearchCase, n: number): Promise<void> {
  const { status } = await asked.line.ask(written(requestFor(asked, search, n), asked.token));
  if (status !== 200) throw new Error(`${search.name}: ${status}`);
}

function requestFor({ samples }: Asked, { query, page }: SearchCase, n: number): Request {
  const body = JSON.stringify({ query: query(samples, n), page, per_page: perPage });
  return { method: 'POST', path: `/api/v1/accounts/${largest}/contacts/search`, body };
}

/**
 * The statement that the service sends, as it sends it, without the service.
 * @returns what sends the nth, written beforehand as those by hand are
 */
export function statements({ db, samples }: Asked, { query, page = 1 }: SearchCase): Way {
  const fields = Object.keys(shapes.contacts.columns);
  const write = (n: number): Statement => {
    const found = searchStatement({
      shape: 'contacts',
      shapes,
      accountId: largest,
      search: parseSearch(query(samples, n), 'contacts', shapes),
      page,
      perPage,
      record: (alias) => select.record('contacts', { fields, relations: [] }, largest, alias),
    });
    // Read once: a statement writes its text anew at each reading.
    const { text, values } = ordinary({ query: () => found, text: 'data', others: ['count'] });
    return { text, values };
  };
  // After these the values repeat.
  const written = Array.from({ length: 100 }, (_, n) => write(n));
  return async (n) => {
    const nth = written[n % written.length];
    if (nth) await db.query(nth, { prepare: 'ifFrequent' });
  };
}

interface Row {
  readonly count: number;
  readonly data: string;
}

export async function byHand(
  { pool, samples }: Asked,
  { name: search, values }: SearchCase,
  { name, text, prepared }: Handwritten,
  n: number,
): Promise<Row | undefined> {
  const config = { text, values: [largest, ...values(samples, n)] };
  const named = { ...config, name: `${name} ${search}`.slice(0, 60) };
  const { rows } = await pool.query<Row>(prepared ? named : config);
  return rows[0];
}

export async function scan({ pool, samples }: Asked, search: SearchCase, n: number): Promise<void> {
  await pool.query(accountScan(search), [largest, ...search.values(samples, n)]);
}

/** SQL that answers something else measures nothing. */
export async function assertSame(
  asked: Asked,
  search: SearchCase,
  sql: Handwritten,
): Promise<void> {
  const row = await byHand(asked, search, sql, 3);
  const { text } = await send(asked.service.port, requestFor(asked, search, 3), asked.token);
  const answer: { data: unknown; pagination: { count: number } } = JSON.parse(text);
  const same =
    row?.count === answer.pagination.count && isDeepStrictEqual(JSON.parse(row.data), answer.data);
  if (!same || row.data === '[]') {
    throw new Error(`${search.name}: answers differ:\n${JSON.stringify(answer)}\n${row?.data}`);
  }
}
