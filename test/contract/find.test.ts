/** `find`: contacts, deals, products and users at once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

// A database of its own: beside the records of other files, of which nothing is known yet, short words are found in
// another way.
const service = await startService();
afterAll(() => service.close());
const w = await world(service);
const ana = (
  await w.contact({
    full_name: 'João Gonçalves',
    email: 'jg@find.example',
    phone: '+5511987654321',
  })
).id;
const deal = (await w.deal({ contact_id: ana, name: 'Gonçalves: Küche' })).id;
const product = (await w.product({ name: 'Chair Gonc', identifier: 'GONC-1' })).id;
const user = (await w.user({ full_name: 'Íris Gonc', email: 'iris.gonc@find.example' })).id;

const find = (q: string, more = '', rest = w.rest) =>
  rest.get(`/find?q=${encodeURIComponent(q)}${more}`);

test('the best of each kind, with the parts that were typed', async () => {
  const answer = await find('gonc');
  expect(answer).toAnswer(200, {
    contacts: [
      {
        id: ana,
        full_name: 'João Gonçalves',
        email: 'jg@find.example',
        phone: '+5511987654321',
        highlights: [{ field: 'full_name', from: 5, to: 9 }],
      },
    ],
    deals: [
      {
        id: deal,
        name: 'Gonçalves: Küche',
        status: 'open',
        stage: { id: w.stageIds[0], name: 'New' },
        contact: { id: ana, full_name: 'João Gonçalves' },
        highlights: [
          { field: 'name', from: 0, to: 4 },
          { field: 'contact.full_name', from: 5, to: 9 },
        ],
      },
    ],
    products: [
      {
        id: product,
        name: 'Chair Gonc',
        identifier: 'GONC-1',
        highlights: [
          { field: 'name', from: 6, to: 10 },
          { field: 'identifier', from: 0, to: 4 },
        ],
      },
    ],
    users: [
      {
        id: user,
        full_name: 'Íris Gonc',
        email: 'iris.gonc@find.example',
        highlights: [
          { field: 'full_name', from: 5, to: 9 },
          { field: 'email', from: 5, to: 9 },
        ],
      },
    ],
    match: 'exact',
  });
});

test('GraphQL says the same', async () => {
  const { find: found } = await w.graphql.data<{ find: unknown }>(
    `{ find(account_id: ${w.accountId}, q: "kuche goncalves") {
      contacts { id } deals { id stage { name } highlights { field from to } } products { id } users { id } match } }`,
  );
  expect(found).toEqual({
    contacts: [],
    deals: [
      {
        id: deal,
        stage: { name: 'New' },
        highlights: [
          { field: 'name', from: 0, to: 9 },
          { field: 'name', from: 11, to: 16 },
          { field: 'contact.full_name', from: 5, to: 14 },
        ],
      },
    ],
    products: [],
    users: [],
    match: 'exact',
  });
});

test('a number is highlighted as it is stored', async () => {
  const { body } = await find('11 98765-4321');
  expect(body).toMatchObject({
    contacts: [{ id: ana, highlights: [{ field: 'phone', from: 3, to: 14 }] }],
  });
});

test('parts are counted in UTF-16 units, with their marks', async () => {
  const { id } = await w.contact({ full_name: '😀 Zoe\u0323\u0304\u0353x ßa' });
  const { body } = await find('zoe ss');
  expect(body).toMatchObject({ contacts: [{ id }] });
  const [{ full_name, highlights }] = (
    body as { contacts: [{ full_name: string; highlights: { from: number; to: number }[] }] }
  ).contacts;
  expect(highlights.map(({ from, to }) => full_name.slice(from, to))).toEqual([
    full_name.slice(3, full_name.indexOf('x')),
    'ß',
  ]);
});

test('where no kind has a match, what is similar in each', async () => {
  const answer = await find('gonçalvez');
  expect(answer.body).toMatchObject({
    contacts: [{ id: ana, highlights: [{ field: 'full_name', from: 5, to: 14 }] }],
    deals: [{ id: deal }],
    products: [],
    users: [],
    match: 'similar',
  });
  expect((await find('qwertyuiop')).body).toEqual({
    contacts: [],
    deals: [],
    products: [],
    users: [],
    match: 'exact',
  });
});

test('lists are as long as asked for, the best first', async () => {
  for (let n = 1; n <= 21; n++) await w.product({ name: `Many ${n}` });
  const exact = await w.product({ name: 'Many' });
  const namesOf = async (more = '') =>
    ((await find('many', more)).body as { products: { name: string }[] }).products.map(
      ({ name }) => name,
    );
  expect(await namesOf()).toEqual(['Many', 'Many 1', 'Many 2', 'Many 3', 'Many 4']);
  expect(await namesOf('&limit=1')).toEqual([exact.name]);
  expect(await namesOf('&limit=20')).toHaveLength(20);
});

describe('refused', () => {
  test.each([
    ['/find', 'q'],
    ['/find?q=', 'q'],
    ['/find?q=%20%20', 'q'],
    ['/find?q=%CC%81', 'q'],
    [`/find?q=${'a%20'.repeat(9)}`, 'q'],
    [`/find?q=${'a'.repeat(256)}`, 'q'],
    ['/find?q=a&limit=21', 'limit'],
    ['/find?q=a&limit=0', 'limit'],
    ['/find?q=a&limit=x', 'limit'],
    ['/find?q=a&page=2', 'page'],
  ])('%s by its %s', async (path, field) => {
    const answer = await w.rest.get<{ fields: Record<string, unknown> }>(path);
    expect(answer).toAnswer(422);
    expect(Object.keys(answer.body.fields)).toEqual([field]);
  });
});

test.each([
  [['contacts:read'], ['contacts']],
  [['deals:read'], []],
  [
    ['deals:read', 'contacts:read'],
    ['contacts', 'deals'],
  ],
  [['products:write'], ['products']],
  [['users:read'], ['users']],
  [['read'], ['contacts', 'deals', 'products', 'users']],
])('a token of %j gets %j', async (scopes, lists) => {
  const token = await issue(service.database, w.member, { scopes });
  const answer = await find('gonc', '', w.restAs(token));
  expect(answer).toAnswer(200);
  expect(Object.keys(answer.body as object)).toEqual([...lists, 'match']);
  const { find: found } = await w
    .graphqlAs(token)
    .data<{ find: Record<string, unknown> }>(
      `{ find(account_id: ${w.accountId}, q: "gonc") { contacts { id } deals { id } products { id } users { id } } }`,
    );
  const present = Object.entries(found).flatMap(([list, value]) => (value ? [list] : []));
  expect(present).toEqual(lists);
});

test('of a large account what is common and what is rare comes in order', async () => {
  const large = await world(service);
  // More than are looked at one after the other, with the rare ones behind them.
  await service.database.query(
    `INSERT INTO contacts (account_id, full_name)
     SELECT $1, CASE WHEN n < 12000 THEN 'Bea Common ' || n WHEN n = 12001 THEN 'Common'
       WHEN n IN (12002, 12004) THEN 'Common Rare' WHEN n = 12003 THEN 'Un common' ELSE 'Uncommonrare' END
     FROM generate_series(1, 12005) AS n ORDER BY n`,
    [large.accountId],
  );
  const names = async (q: string, limit = 5) =>
    (
      (await find(q, `&limit=${limit}`, large.rest)).body as { contacts: { full_name: string }[] }
    ).contacts.map(({ full_name }) => full_name);
  expect(await names('common')).toEqual([
    'Common',
    'Common Rare',
    'Common Rare',
    'Bea Common 1',
    'Bea Common 2',
  ]);
  expect(await names('rare')).toEqual([
    'Common Rare',
    'Common Rare',
    'Uncommonrare',
    'Uncommonrare',
  ]);
  expect(await names('un common', 2)).toEqual(['Un common', 'Uncommonrare']);
  expect(await names('11999')).toEqual(['Bea Common 11999']);
});

describe('of a large account', () => {
  let large: World;
  beforeAll(async () => {
    large = await world(service);
    const [stage_id, pipeline_id, admin] = [large.stageIds[0], large.pipelineId, large.admin.id];
    await service.database.query(
      `WITH people AS (
         INSERT INTO contacts (account_id, full_name)
         SELECT $1, CASE WHEN n <= 3000 THEN 'Bea Common ' || n
           ELSE (ARRAY['Kwame', 'Ekwa', 'Q Wie', '王 小明', 'Anna Kwik', 'Xenia Q', 'Wik Qu'])[1 + n % 7] END
         FROM generate_series(1, 3035) AS n ORDER BY n RETURNING id
       ) INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, created_by_id, name, rank)
         SELECT $1, id, $2, $3, $4, 'Deal', row_number() OVER () FROM people ORDER BY id`,
      [large.accountId, pipeline_id, stage_id, admin],
    );
  });

  // No index helps for these, or for some of the ranks.
  test.each([
    'k',
    'kw',
    'wi',
    'q w',
    'q kw',
    '小明',
    '明',
    '王',
    '明 王',
    '小 k',
    'x',
    'zx',
    'ж',
    'e',
  ])('what is short is found as q finds it: %s', async (q) => {
    const first = async (list: 'contacts' | 'deals') => {
      const { body } = await large.rest.post<{ data: { id: number }[] }>(`/${list}/search`, {
        query: { q },
      });
      return body.data.slice(0, 5).map(({ id }) => id);
    };
    const { contacts, deals, match } = (await find(q, '', large.rest)).body as {
      readonly [list in 'contacts' | 'deals']: readonly { id: number }[];
    } & { readonly match: string };
    expect([contacts, deals].map((list) => list.map(({ id }) => id))).toEqual(
      match === 'exact' ? [await first('contacts'), await first('deals')] : [[], []],
    );
  });
});
