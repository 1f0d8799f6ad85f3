import { describe, expect, test } from '@jest/globals';
import type { Page, Pagination, Stored } from '../kit/records.ts';
import { invalidSearch } from '../kit/refusals.ts';
import type { Body } from '../kit/rest.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const rows = await service.database.query<{ id: number }>(
  "INSERT INTO contacts (account_id, full_name) SELECT $1, 'c' || n FROM generate_series(1, 123) AS n RETURNING id",
  [w.accountId],
);
const ids = rows.map((row) => row.id);

const search = (body: Body) => w.rest.post<Page<Stored>>('/contacts/search', body);

const cases: [string, Body, Pagination][] = [
  [
    'nothing sent: page 1 of 10',
    {},
    { page: 1, items: 10, count: 123, pages: 13, from: 1, to: 10, last: 13, prev: null, next: 2 },
  ],
  [
    'null counts as nothing',
    { page: null, per_page: null },
    { page: 1, items: 10, count: 123, pages: 13, from: 1, to: 10, last: 13, prev: null, next: 2 },
  ],
  [
    'a page in between',
    { page: 2, per_page: 50 },
    { page: 2, items: 50, count: 123, pages: 3, from: 51, to: 100, last: 3, prev: 1, next: 3 },
  ],
  [
    'as decimal strings',
    { page: '2', per_page: '50' },
    { page: 2, items: 50, count: 123, pages: 3, from: 51, to: 100, last: 3, prev: 1, next: 3 },
  ],
  [
    'the last page',
    { page: 13 },
    {
      page: 13,
      items: 3,
      count: 123,
      pages: 13,
      from: 121,
      to: 123,
      last: 13,
      prev: 12,
      next: null,
    },
  ],
  [
    'at most 100',
    { per_page: 100 },
    { page: 1, items: 100, count: 123, pages: 2, from: 1, to: 100, last: 2, prev: null, next: 2 },
  ],
  [
    'one a page',
    { per_page: 1, page: 123 },
    {
      page: 123,
      items: 1,
      count: 123,
      pages: 123,
      from: 123,
      to: 123,
      last: 123,
      prev: 122,
      next: null,
    },
  ],
  [
    'just past the end',
    { page: 14 },
    { page: 14, items: 0, count: 123, pages: 13, from: 0, to: 0, last: 13, prev: 13, next: null },
  ],
  [
    'far past the end',
    { page: 9_007_199_254_740_991 },
    {
      page: 9_007_199_254_740_991,
      items: 0,
      count: 123,
      pages: 13,
      from: 0,
      to: 0,
      last: 13,
      prev: 13,
      next: null,
    },
  ],
  [
    'nothing matches',
    { query: { full_name_eq: 'nobody' } },
    { page: 1, items: 0, count: 0, pages: 1, from: 0, to: 0, last: 1, prev: null, next: null },
  ],
  [
    'nothing matches, on page 2',
    { query: { full_name_eq: 'nobody' }, page: 2 },
    { page: 2, items: 0, count: 0, pages: 1, from: 0, to: 0, last: 1, prev: 1, next: null },
  ],
  [
    'one matches',
    { query: { full_name_eq: 'c7' } },
    { page: 1, items: 1, count: 1, pages: 1, from: 1, to: 1, last: 1, prev: null, next: null },
  ],
];

describe('pagination', () => {
  test.each(cases)('%s', async (_, body, expected) => {
    const answer = await search(body);
    expect(answer).toAnswer(200);
    expect(answer.body.pagination).toEqual(expected);
    expect(answer.body.data).toHaveLength(expected.items);
    if (expected.count === ids.length) {
      expect(answer.body.data.map((contact) => contact.id)).toEqual(
        expected.items === 0 ? [] : ids.slice(expected.from - 1, expected.to),
      );
    }
  });

  test('page and per_page are taken from the address too', async () => {
    const answer = await w.rest.post<Page<Stored>>('/contacts/search?page=3&per_page=5', {});
    expect(answer.body.pagination).toMatchObject({ page: 3, items: 5, from: 11, to: 15 });
    const got = await w.rest.get<Page<Stored>>('/contacts/search?page=3&per_page=5');
    expect(got.text).toBe(answer.text);
  });

  test('the pages together are everything, once', async () => {
    const seen: number[] = [];
    for (let page: number | null = 1; page !== null; ) {
      const { body }: { body: Page<Stored> } = await search({
        page,
        per_page: 20,
        query: { s: 'full_name' },
      });
      seen.push(...body.data.map((contact) => contact.id));
      page = body.pagination.next;
    }
    expect(seen).toHaveLength(ids.length);
    expect([...seen].sort((a, b) => a - b)).toEqual(ids);
  });

  test('the largest collection counts exactly', async () => {
    expect((await search({ per_page: 1 })).body.pagination.count).toBe(123);
  });
});

describe('422', () => {
  test.each([0, -1, 1.5, '0', '1.5', 'x', '01', ' 1', true, [], {}, '9007199254740992', '1e1'])(
    'for the page %j',
    async (page) => {
      expect(await search({ page })).toAnswer(422, invalidSearch('page'));
    },
  );

  test.each([0, -1, 101, 1000, 1.5, '0', '101', 'x', true, [], {}])(
    'for the per_page %j',
    async (perPage) => {
      expect(await search({ per_page: perPage })).toAnswer(422, invalidSearch('per_page'));
    },
  );

  test('for both, told together, in the address as well', async () => {
    expect(await search({ page: 0, per_page: 0 })).toAnswer(422, invalidSearch('page', 'per_page'));
    expect(await w.rest.get('/contacts/search?page=x&per_page=101')).toAnswer(
      422,
      invalidSearch('page', 'per_page'),
    );
  });
});
