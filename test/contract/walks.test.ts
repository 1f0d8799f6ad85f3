/** Pages from place to place, and those that count less than everything. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Stored } from '../kit/records.ts';
import { invalidSearchOf } from '../kit/refusals.ts';
import type { Body } from '../kit/rest.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  // Ties and nulls in every column that is sorted by.
  await service.database.query(
    `INSERT INTO contacts (account_id, full_name, phone, app_type, app_id, created_at)
     SELECT $1, 'Name ' || n % 5, CASE WHEN n % 3 = 0 THEN '' ELSE n::text END,
       CASE WHEN n % 4 > 0 THEN 'app ' || n % 2 END, CASE WHEN n % 2 = 0 THEN n / 6 END,
       '2026-01-01'::timestamptz + make_interval(secs => n % 7)
     FROM generate_series(1, 43) AS n`,
    [w.accountId],
  );
}, 30_000);
afterAll(() => service.close());

type Search = Readonly<Record<string, unknown>>;

const search = (body: Body, path = '/contacts/search') => w.rest.post<Page<Stored>>(path, body);

const cursorOf = ({ headers }: Awaited<ReturnType<typeof search>>) => {
  const { 'x-next-cursor': cursor } = headers;
  return cursor === undefined ? undefined : String(cursor);
};

/** The ids of all pages of a search, from place to place. */
async function walk(body: Search, path?: string, between = async (_page: number) => {}) {
  const ids: number[] = [];
  let after: string | undefined;
  for (let page = 1; page < 100; page++) {
    const answer = await search({ ...body, ...(after && { after }) }, path);
    expect(answer).toAnswer(200);
    ids.push(...answer.body.data.map(({ id }) => id));
    after = cursorOf(answer);
    if (after === undefined) return ids;
    await between(page);
  }
  throw new Error('the walk has no end');
}

const inOnePage = async (query: Search, path?: string) =>
  (await search({ query, per_page: 100 }, path)).body.data.map(({ id }) => id);

const sorts = [
  ...['id asc', 'id desc', 'full_name asc', 'full_name desc', 'phone desc', 'created_at desc'],
  ...['app_type asc', 'app_type desc', 'app_id asc', 'app_id desc'],
];

describe('a walk from place to place', () => {
  test.each([
    ...sorts.map((s) => [s]),
    ['app_type desc', 'app_id asc'],
    ['app_id asc', 'full_name desc', 'created_at asc'],
    ['app_type asc', 'app_id desc', 'id desc'],
  ])('has everything once and in order by %s %s %s', async (...s) => {
    const all = await inOnePage({ s });
    expect(all).toHaveLength(43);
    for (const per_page of [3, 42, 43]) {
      expect(await walk({ query: { s }, per_page })).toEqual(all);
    }
  });

  test('of which records show little, by what only others have, and in groups', async () => {
    const { id } = await w.contact({ full_name: 'Zed', email: unique('zed') });
    for (const position of [1, 1, 2, 1]) await w.deal({ contact_id: id, position });
    await w.deal({ stage_id: w.other.stageId });
    for (const query of [
      { s: 'contact_full_name desc' },
      { s: 'position asc' },
      { s: ['stage_position desc', 'position desc'] },
      { s: 'position desc', stage_id_eq: w.stageIds[0] },
      { s: 'contact_email asc', contact_full_name_cont: 'e' },
      { g: [{ m: 'or', id_gt: 0, contact_phone_eq: 'x' }], s: 'creator_full_name' },
    ]) {
      const all = await inOnePage(query, '/deals/search');
      expect(all.length).toBeGreaterThan(2);
      expect(await walk({ query, per_page: 1 }, '/deals/search?fields=id')).toEqual(all);
    }
  });

  test('misses nothing that stays, and has it once, while others write', async () => {
    const mark = unique('stays');
    const made: number[] = [];
    for (let n = 0; n < 12; n++) made.push((await w.contact({ full_name: `${mark} ${n % 4}` })).id);
    const query = { full_name_start: mark, s: 'full_name desc' };
    const gone = new Set<number>();
    const seen = await walk({ query, per_page: 3 }, undefined, async (page) => {
      // Before and behind the place, and the record of the place itself.
      for (const n of [0, 1, 2, 3]) await w.contact({ full_name: `${mark} ${n}` });
      for (const id of made.splice(made.length - page, 1)) {
        gone.add(id);
        await w.rest.delete(`/contacts/${id}`);
      }
    });
    expect(new Set(seen).size).toBe(seen.length);
    expect(made.filter((id) => !seen.includes(id))).toEqual([]);
    expect(gone.size).toBeGreaterThan(2);
  });

  test('begins on any page, and ends without a cursor', async () => {
    const query = { full_name_start: 'Name ', s: 'phone' };
    const all = await inOnePage(query);
    const second = await search({ query, page: 2, per_page: 20 });
    const third = await search({ query, after: cursorOf(second), per_page: 20 });
    expect(third.body.data.map(({ id }) => id)).toEqual(all.slice(40));
    expect(cursorOf(third)).toBeUndefined();
    expect(third.body.pagination).toEqual(
      (await search({ query, page: 3, per_page: 20 })).body.pagination,
    );
  });

  test('goes on behind texts that are too long for a header, as long as they are there', async () => {
    const mark = unique('long');
    const long = 'x'.repeat(5000);
    for (const end of ['a', 'b', 'b', 'c']) {
      await w.product({ identifier: mark, description: `${long}${end}é` });
    }
    const query = { identifier_eq: mark, s: 'description desc' };
    const path = '/products/search';
    const all = await inOnePage(query, path);
    expect(await walk({ query, per_page: 1 }, path)).toEqual(all);
    const after = cursorOf(await search({ query, per_page: 2 }, path));
    expect(after?.length).toBeLessThan(300);
    await w.rest.put(`/products/${all[1]}`, { description: 'another' });
    expect(await search({ query, after }, path)).toAnswer(410, {
      error: 'Gone',
      code: 'gone',
      errors: ['The record that the cursor named has changed since: begin the search anew'],
      request_id: expect.anything(),
    });
  });

  test('goes on behind moments of any year that a record can hold', async () => {
    const mark = unique('years');
    const { id: contact_id } = await w.contact();
    for (const year of ['0001', '0099', '0206', '2026', '9999']) {
      const deal = await w.deal({ contact_id, name: mark });
      const won = { status: 'won', won_at: `${year}-03-01T10:00:00.120Z` };
      expect(await w.rest.put(`/deals/${deal.id}`, won)).toAnswer(200);
    }
    const query = { name_eq: mark, s: 'won_at' };
    const all = await inOnePage(query, '/deals/search');
    expect(all).toHaveLength(5);
    expect(await walk({ query, per_page: 1 }, '/deals/search')).toEqual(all);
  });

  test('costs one statement for each page', async () => {
    const after = cursorOf(await search({ query: { s: 'app_type desc' } }));
    service.statements.length = 0;
    await search({ query: { s: 'app_type desc' }, after });
    await search({ query: { s: 'app_type desc' }, after, count: 'none' });
    expect(service.statements).toHaveLength(2);
  });

  test('is offered by GraphQL, too', async () => {
    const ask = `query ($account: Integer!, $after: SearchCursor) {
      contacts(account_id: $account, query: {full_name_start: "Name ", s: "app_id desc"}, per_page: 40, after: $after, count: "none") {
        data { id }
        pagination { items count counted next next_cursor }
      }
    }`;
    interface Told {
      contacts: { data: Stored[]; pagination: { next_cursor: string | null } };
    }
    const first = await w.graphql.data<Told>(ask, { account: w.accountId });
    const { next_cursor } = first.contacts.pagination;
    expect(first.contacts.pagination).toEqual({
      ...{ items: 40, count: 41, counted: 'at_least', next: 2 },
      next_cursor: expect.stringMatching(/^[\w-]+$/),
    });
    const second = await w.graphql.data<Told>(ask, { account: w.accountId, after: next_cursor });
    const ids = [...first.contacts.data, ...second.contacts.data].map(({ id }) => id);
    expect(ids).toEqual(await inOnePage({ full_name_start: 'Name ', s: 'app_id desc' }));
    expect(second.contacts.pagination).toMatchObject({ counted: 'exact', next_cursor: null });
  });
});

describe('a cursor', () => {
  const encoded = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
  const notOfThis = { after: 'is not a cursor of a search in this order' };

  test.each([
    ...['x', 7, {}, [], '=', encoded(), encoded('id+', 0), encoded('id+', 0, null)],
    ...[
      encoded('id+', 0, 'a'),
      encoded('id+', -1, 5),
      encoded('id+', 0, 1.5),
      encoded('id-', 0, 5),
    ],
    encoded('id+', 0, 5, 6),
  ])('that is invalid is refused: %j', async (after) => {
    expect(await search({ after })).toAnswer(422, invalidSearchOf(notOfThis));
  });

  test.each([
    ['full_name', 7],
    ['full_name', '\0'],
    ['full_name', { sha256: 'x' }],
    ['created_at', 'yesterday'],
    ['created_at', 5],
    ['app_id', '5'],
  ])('with a value that a column cannot have is refused: %s %j', async (s, value) => {
    const after = encoded(`${s}+id+`, 0, value, 5);
    expect(await search({ after, query: { s } })).toAnswer(422, invalidSearchOf(notOfThis));
  });

  test('belongs to the order that it was told in, and to no page', async () => {
    const after = cursorOf(await search({ query: { s: 'full_name' } }));
    for (const s of ['full_name desc', 'phone', ['full_name', 'phone']]) {
      expect(await search({ after, query: { s } })).toAnswer(422, invalidSearchOf(notOfThis));
    }
    expect(await search({ after, page: 1, query: { s: 'full_name' } })).toAnswer(
      422,
      invalidSearchOf({
        after: 'says where to go on: it cannot be sent together with page',
      }),
    );
  });

  test('leads to no record of another account', async () => {
    const other = await world(service);
    const after = cursorOf(await search({}));
    const { body } = await other.rest.post<Page<Stored>>('/contacts/search', { after });
    expect(body.data).toEqual([]);
  });
});

describe('a count', () => {
  const named = { full_name_start: 'Name ' };
  let all: number;
  beforeAll(async () => {
    all = (await search({ query: named })).body.pagination.count;
  });
  const told = async (body: Search) => {
    const { headers, body: shown } = await search(body);
    return { ...shown.pagination, told: headers['x-count'] };
  };
  const first = { page: 1, items: 10, from: 1, to: 10, prev: null, next: 2 };

  test('of none says what is known', async () => {
    const query = { ...named, s: 'id' };
    expect(await told({ query, count: 'none' })).toEqual({
      ...{ ...first, count: 11, pages: 2, last: 2 },
      told: 'at-least',
    });
    expect(await told({ query, count: 'none', page: 2, per_page: 20 })).toMatchObject({
      ...{ items: 20, count: 41, pages: 3, from: 21, to: 40, prev: 1, next: 3 },
      told: 'at-least',
    });
    const after = cursorOf(await search({ query, per_page: 40 }));
    expect(await told({ query, count: 'none', after, per_page: 40 })).toEqual({
      ...{ page: 2, items: all - 40, count: all, pages: Math.ceil(all / 40), from: 41, to: all },
      ...{ last: Math.ceil(all / 40), prev: 1, next: null, told: undefined },
    });
    expect(await told({ query, count: 'none', page: 1000 })).toEqual({
      ...{ page: 1000, items: 0, count: 0, pages: 1, from: 0, to: 0, last: 1, prev: 1, next: null },
      told: 'at-least',
    });
  });

  test('of an estimate is never less than what is known', async () => {
    await service.database.query('ANALYZE contacts');
    const { count, told: kind, ...rest } = await told({ query: named, count: 'estimate' });
    expect([rest.next, kind]).toEqual([2, 'estimate']);
    expect(Math.abs(count - all)).toBeLessThan(all / 2);
    const query = { full_name_cont: 'name', phone_not_eq: 'x', id_gt: 0, app_type_not_eq: '' };
    expect((await told({ query, count: 'estimate' })).count).toBeGreaterThan(10);
    expect(await told({ query: { id_lt: 0 }, count: 'estimate' })).toMatchObject({
      ...{ count: 0, told: undefined },
    });
  });

  test('is exact unless said otherwise, also behind a cursor', async () => {
    const query = named;
    const after = cursorOf(await search({ query, per_page: 20 }));
    expect(await told({ query, count: 'exact', after, per_page: 20 })).toEqual({
      ...{ page: 2, items: 20, count: all, pages: Math.ceil(all / 20), from: 21, to: 40 },
      ...{ last: Math.ceil(all / 20), prev: 1, next: 3, told: undefined },
    });
    for (const count of ['', null, undefined])
      expect((await told({ query, count })).count).toBe(all);
  });

  test.each(['all', 1, true, {}, ['none']])('of %j is refused', async (count) => {
    expect(await search({ count })).toAnswer(
      422,
      invalidSearchOf({ count: 'is not included in the list (exact, estimate, none)' }),
    );
  });

  test('may stand in the query string, as may a cursor', async () => {
    const after = cursorOf(await search({ per_page: 40, count: 'none' }));
    const { body } = await w.rest.get<Page<Stored>>(`/contacts/search?count=none&after=${after}`);
    expect(body.pagination).toMatchObject({ from: 41, page: 5 });
  });
});
