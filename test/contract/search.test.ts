import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page, Stored } from '../kit/records.ts';
import { invalidSearch, malformedJson, noRoute } from '../kit/refusals.ts';
import type { Body } from '../kit/rest.ts';
import { sharedService } from '../kit/service.ts';
import { contactBody, dealBody, onePage, productBody, userBody } from '../kit/shapes.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const ids: Record<string, number> = {};

const at = (year: number) => `${year}-06-01T00:00:00.000Z`;

beforeAll(async () => {
  const stranger = await world(service);
  for (const [place, mark] of [
    [w, ''],
    [stranger, 'theirs '],
  ] as const) {
    const ana = await place.contact({
      full_name: 'Ana Souza',
      email: 'ana@example.com',
      phone: '+14155552671',
    });
    const bob = await place.contact({
      full_name: 'Bob Ünal',
      email: 'bob@mail.example',
      phone: '555-1234',
    });
    const open = await place.deal({
      contact_id: ana.id,
      name: 'Chairs',
      stage_id: place.stageIds[0],
    });
    const won = await place.deal({
      contact_id: bob.id,
      name: 'Tables',
      stage_id: place.other.stageId,
      status: 'won',
    });
    const chair = await place.product({
      identifier: 'CH-1',
      name: 'Chair',
      description: 'Four legs',
      amount_in_cents: 100,
      quantity_available: 5,
    });
    const table = await place.product({
      identifier: 'TA-1',
      name: 'Table',
      description: 'A top',
      amount_in_cents: 900,
      quantity_available: 6,
    });
    const uma = await place.user({
      email: `${mark ? 'their.uma' : 'uma'}@people.example`,
      full_name: 'Uma User',
      phone: '+4930123456',
      language: 'de',
      job_description: 'sales_manager',
    });
    Object.assign(
      ids,
      Object.fromEntries(
        Object.entries({ ana, bob, open, won, chair, table, uma }).map(([name, record]) => [
          mark + name,
          record.id,
        ]),
      ),
    );
  }
  ids.admin = w.admin.id;
  ids.member = w.member.id;
  // The first of each pair is of 2020, the second of 2024.
  for (const [table, first, second] of [
    ['contacts', 'ana', 'bob'],
    ['deals', 'open', 'won'],
    ['products', 'chair', 'table'],
  ] as const) {
    for (const [name, year] of [
      [first, 2020],
      [second, 2024],
    ] as const) {
      await service.database.query(
        `UPDATE ${table} SET created_at = $1, updated_at = $1 WHERE id = $2`,
        [at(year), ids[name]],
      );
    }
  }
  await service.database.query(
    "UPDATE users SET created_at = $1, updated_at = $1 WHERE account_id = $2 AND language = 'en'",
    [at(2020), w.accountId],
  );
  await service.database.query('UPDATE users SET created_at = $1, updated_at = $1 WHERE id = $2', [
    at(2024),
    ids.uma,
  ]);
});

const everyone = ['admin', 'member', 'uma'];

/** Resource, predicate, value (or the name of a record), names of those that match. */
const seen: [string, string, unknown, string[]][] = [
  ['contacts', 'full_name_cont', 'souza', ['ana']],
  ['contacts', 'full_name_cont', 'üNAL', ['bob']],
  ['contacts', 'full_name_cont', 'a', ['ana', 'bob']],
  ['contacts', 'email_cont', 'mail.example', ['bob']],
  ['contacts', 'phone_cont', '5267', ['ana']],
  ['contacts', 'created_at_gteq', at(2024), ['bob']],
  ['contacts', 'created_at_gteq', '2020-06-01T00:00:00Z', ['ana', 'bob']],
  ['contacts', 'updated_at_lteq', at(2020), ['ana']],
  ['contacts', 'id_eq', 'ana', ['ana']],
  ['deals', 'name_cont', 'CHAIR', ['open']],
  ['deals', 'status_eq', 'won', ['won']],
  ['deals', 'stage_id_eq', 'stage', ['open']],
  ['deals', 'pipeline_id_eq', 'pipeline', ['won']],
  ['deals', 'contact_id_eq', 'bob', ['won']],
  ['deals', 'created_at_gteq', at(2021), ['won']],
  ['deals', 'updated_at_lteq', at(2021), ['open']],
  ['deals', 'id_eq', 'won', ['won']],
  ['products', 'identifier_eq', 'CH-1', ['chair']],
  ['products', 'identifier_eq', 'ch-1', []],
  ['products', 'name_cont', 'tab', ['table']],
  ['products', 'description_cont', 'LEGS', ['chair']],
  ['products', 'amount_in_cents_gteq', 900, ['table']],
  ['products', 'amount_in_cents_gteq', '100', ['chair', 'table']],
  ['products', 'quantity_available_gt', 5, ['table']],
  ['products', 'created_at_gteq', at(2024), ['table']],
  ['products', 'updated_at_lteq', at(2020), ['chair']],
  ['users', 'full_name_cont', 'USER', ['uma']],
  ['users', 'email_cont', 'people.example', ['uma']],
  ['users', 'phone_cont', '4930', ['uma']],
  ['users', 'language_eq', 'de', ['uma']],
  ['users', 'job_description_cont', 'sales', ['uma']],
  ['users', 'created_at_gteq', at(2024), ['uma']],
  ['users', 'created_at_lteq', at(2020), ['admin', 'member']],
  ['users', 'updated_at_gteq', at(2020), everyone],
  ['users', 'id_eq', 'admin', ['admin']],
];

function idOrValue(value: unknown): unknown {
  if (value === 'stage') return w.stageIds[0];
  if (value === 'pipeline') return w.other.pipelineId;
  return typeof value === 'string' && Object.hasOwn(ids, value) ? ids[value] : value;
}

const search = (resource: string, body: Body) =>
  w.rest.post<Page<Stored>>(`/${resource}/search`, body);

describe('predicates', () => {
  test.each(seen)('%s by %s %j', async (resource, key, value, names) => {
    // A name of a record stands for its id, where ids are asked for.
    const sent = /(^|_)id_eq$/.test(key) ? idOrValue(value) : value;
    const answer = await search(resource, { query: { [key]: sent } });
    expect(answer).toAnswer(200);
    expect(answer.body.data.map((record) => record.id)).toEqual(names.map((name) => ids[name]));
  });

  test.each(seen)('%s by %s %j as a GET', async (resource, key, value, names) => {
    const sent = /(^|_)id_eq$/.test(key) ? idOrValue(value) : value;
    const address = `/${resource}/search?query[${key}]=${encodeURIComponent(String(sent))}`;
    const answer = await w.rest.get<Page<Stored>>(address);
    expect(answer).toAnswer(200);
    expect(answer.body.data.map((record) => record.id)).toEqual(names.map((name) => ids[name]));
  });
});

test('a search shows whole records, by id', async () => {
  const contacts = await search('contacts', {});
  expect(contacts).toAnswer(
    200,
    onePage([
      contactBody(w.accountId, {
        id: ids.ana,
        full_name: 'Ana Souza',
        email: 'ana@example.com',
        phone: '+14155552671',
      }),
      contactBody(w.accountId, {
        id: ids.bob,
        full_name: 'Bob Ünal',
        email: 'bob@mail.example',
        phone: '555-1234',
      }),
    ]),
  );
  const deals = await search('deals', { query: { id_eq: ids.open } });
  expect(deals).toAnswer(
    200,
    onePage([
      dealBody(w.accountId, {
        id: ids.open,
        name: 'Chairs',
        stage_id: w.stageIds[0],
        pipeline_id: w.pipelineId,
        contact_id: ids.ana,
        created_by_id: w.admin.id,
      }),
    ]),
  );
  const products = await search('products', { query: { name_cont: 'chair' } });
  expect(products).toAnswer(
    200,
    onePage([
      productBody(w.accountId, {
        id: ids.chair,
        identifier: 'CH-1',
        name: 'Chair',
        description: 'Four legs',
        amount_in_cents: 100,
        quantity_available: 5,
      }),
    ]),
  );
  const users = await search('users', { query: { id_eq: ids.uma } });
  expect(users).toAnswer(
    200,
    onePage([
      userBody(w.accountId, {
        id: ids.uma,
        email: 'uma@people.example',
        full_name: 'Uma User',
        phone: '+4930123456',
        language: 'de',
        job_description: 'sales_manager',
      }),
    ]),
  );
});

describe('the query', () => {
  test.each([[{}], [{ query: {} }], [{ query: null }], [undefined], ['']])(
    '%j finds everything',
    async (body) => {
      const answer = await w.rest.send<Page<Stored>>('POST', '/contacts/search', body);
      expect(answer).toAnswer(200);
      expect(answer.body.pagination.count).toBe(2);
    },
  );

  test('several conditions must all hold', async () => {
    const both = await search('contacts', { query: { full_name_cont: 'a', email_cont: 'mail' } });
    expect(both.body.data.map((record) => record.id)).toEqual([ids.bob]);
  });

  test('a blank value drops its condition', async () => {
    for (const blank of ['', null, []]) {
      const answer = await search('contacts', { query: { full_name_cont: blank } });
      expect(answer.body.pagination.count).toBe(2);
    }
  });

  test.each([[null], [{}], [''], [[]]])('%j as the query is everything', async (query) => {
    expect((await search('contacts', { query })).body.pagination.count).toBe(2);
  });

  test.each([['x'], [5], [true], [['a']]])('%j as the query is a 422', async (query) => {
    expect(await search('contacts', { query })).toAnswer(422, invalidSearch('query'));
  });

  test('a sort and a final id make the order total', async () => {
    const answer = await search('contacts', { query: { s: 'full_name desc' } });
    expect(answer.body.data.map((record) => record.id)).toEqual([ids.bob, ids.ana]);
  });

  test('nothing of another account is ever found', async () => {
    for (const resource of ['contacts', 'deals', 'products', 'users']) {
      const { body } = await search(resource, { per_page: 100 });
      expect(new Set(body.data.map((record) => record.account_id))).toEqual(new Set([w.accountId]));
    }
    const theirs = await search('contacts', { query: { id_eq: ids['theirs ana'] } });
    expect(theirs.body.data).toEqual([]);
    const through = await search('deals', { query: { contact_id_eq: ids['theirs ana'] } });
    expect(through.body.data).toEqual([]);
  });
});

describe('422 of a search', () => {
  test.each([
    ['contacts', 'full_name_nope', 'x'],
    ['contacts', 'full_name', 'x'],
    ['contacts', 'nope_eq', 'x'],
    ['contacts', 'account_id_eq', 1],
    ['contacts', 'additional_attributes_eq', 'x'],
    ['deals', 'nope', 'x'],
    ['deals', 'account_id_eq', 1],
    ['products', 'price_eq', 1],
    ['users', 'password_hash_cont', 'a'],
    ['users', 'password_digest_start', 'a'],
    ['users', 'role_eq', 'admin'],
    ['users', '__proto___eq', 'x'],
    ['contacts', 'id_eq', 'abc'],
    ['contacts', 'created_at_gteq', 'garbage'],
    ['contacts', 'email_null', 'maybe'],
    ['deals', 'deals_name_eq', 'x'],
    ['contacts', 'users_email_eq', 'x'],
  ])('%s by %s %j names the key', async (resource, key, value) => {
    expect(await search(resource, { query: { [key]: value } })).toAnswer(422, invalidSearch(key));
  });

  test('names every key that is wrong, together', async () => {
    const query = { nope_eq: 1, full_name_nope: 2, id_eq: 'abc', full_name_cont: 'ana' };
    expect(await search('contacts', { query, page: 0 })).toAnswer(
      422,
      invalidSearch('nope_eq', 'full_name_nope', 'id_eq', 'page'),
    );
  });
});

test('400 for malformed JSON', async () => {
  for (const resource of ['contacts', 'deals', 'products', 'users']) {
    expect(await w.rest.post(`/${resource}/search`, '{"query": {')).toAnswer(400, malformedJson);
  }
});

test('a search of what has no route is a 404', async () => {
  expect(await w.rest.post('/nothing/search', {})).toAnswer(404, noRoute);
});

describe('searches across associations', () => {
  test('every way that there is finds what is at its end', async () => {
    const own = await world(service);
    const contact = await own.contact({ full_name: 'End' });
    const deal = await own.deal({ contact_id: contact.id, name: 'Way' });
    const product = await own.product({ name: 'Thing', description: 'Blue' });
    const attached = await own.dealProduct({ deal_id: deal.id, product_id: product.id });
    const [event] = await own.eventsOf(deal);
    // Beside each, one that must not be found.
    await own.dealProduct();
    const { id: assigned } = (await own.fetchDeal(deal.id)).deal_assignees[0] ?? {};
    const ways: readonly (readonly [string, object, number | undefined])[] = [
      ['contacts', { deals_name_eq: 'Way' }, contact.id],
      ['deals', { contact_full_name_eq: 'End' }, deal.id],
      ['deals', { stage_name_eq: 'New', name_eq: 'Way' }, deal.id],
      ['deals', { pipeline_name_eq: 'Sales', name_eq: 'Way' }, deal.id],
      ['deals', { creator_full_name_eq: 'Ada Admin', name_eq: 'Way' }, deal.id],
      ['deals', { users_full_name_eq: 'Ada Admin', name_eq: 'Way' }, deal.id],
      ['deals', { deal_assignees_id_eq: assigned }, deal.id],
      ['deals', { deal_products_product_name_eq: 'Thing' }, deal.id],
      ['deals', { products_description_eq: 'Blue' }, deal.id],
      ['products', { deal_products_deal_id_eq: deal.id }, product.id],
      ['products', { deals_name_eq: 'Way' }, product.id],
      ['deal_products', { deal_name_eq: 'Way' }, attached.id],
      ['deal_products', { product_description_eq: 'Blue' }, attached.id],
      ['deal_products', { deal_contact_full_name_eq: 'End' }, attached.id],
      ['events', { deal_name_eq: 'Way', kind_eq: 'deal_opened' }, event?.id],
      ['events', { contact_full_name_eq: 'End', kind_eq: 'deal_opened' }, event?.id],
      ['users', { deals_name_eq: 'Way' }, own.admin.id],
      ['stages', { pipeline_name_eq: 'Partners' }, own.other.stageId],
    ];
    for (const [resource, query, found] of ways) {
      const { body } = await own.rest.post<Page<Stored>>(`/${resource}/search`, { query });
      expect([resource, query, body.data?.map(({ id }) => id)]).toEqual([resource, query, [found]]);
    }
  });

  test('what lies between deals and products leads on only where it is searched itself', async () => {
    const query = { deal_products_deal_name_eq: 'x' };
    expect(await w.rest.post('/products/search', { query })).toAnswer(
      422,
      invalidSearch('deal_products_deal_name_eq'),
    );
  });

  test('a to-many path never repeats a record', async () => {
    const own = await world(service);
    const contact = await own.contact({ email: unique('many') });
    for (let n = 0; n < 3; n += 1) await own.deal({ contact_id: contact.id, name: 'Same' });
    const answer = await own.rest.post<Page<Stored>>('/contacts/search', {
      query: { deals_name_eq: 'Same' },
    });
    expect(answer.body.data.map((record) => record.id)).toEqual([contact.id]);
    expect(answer.body.pagination.count).toBe(1);
  });
});

test.each([
  ['query[__proto__][x]=1', '__proto__', 'is not a searchable attribute'],
  ['query[__proto__]=1', '__proto__', 'is not a searchable attribute'],
  [
    'query]=1',
    'query]',
    'is not part of a search: conditions and the order (s) stand in query, beside page, per_page, after and count (did you mean query?)',
  ],
  ['query[=1', '[', 'has an unknown predicate (all are listed at /docs)'],
])('GET …/search?%s loses no condition without a word', async (text, key, message) => {
  const answer = await w.rest.get<{ fields: unknown }>(`/contacts/search?${text}`);
  expect([answer.status, answer.body.fields]).toEqual([
    422,
    Object.fromEntries([[key, [message]]]),
  ]);
});
