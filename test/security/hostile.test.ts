/** What no client should send: never a 5xx, and nothing stored of what was refused. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/rest/routes.ts';
import { type Answer, Client } from '../kit/http.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let ids: Readonly<Record<string, number>>;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  const attached = await w.dealProduct();
  const deal = await w.fetchDeal(attached.deal_id);
  const { events } = await w.fetchContact(deal.contact_id);
  ids = {
    contacts: deal.contact_id,
    deals: deal.id,
    products: attached.product_id,
    deal_products: attached.id,
    deal_assignees: deal.deal_assignees[0]?.id ?? 0,
    events: events[0]?.id ?? 0,
    users: w.member.id,
    pipelines: w.pipelineId,
    stages: w.stageIds[0],
  };
});
afterAll(() => service.close());

const tables = [
  'contacts',
  'deals',
  'products',
  'deal_products',
  'users',
  'events',
  'pipelines',
  'stages',
  'audit_entries',
];

async function counts(): Promise<number[]> {
  return Promise.all(tables.map((table) => w.count(table)));
}

/** Fails unless it was refused as the client's fault, in the one shape. */
function expectRefused(answer: Answer): void {
  expect([
    answer.status >= 400 && answer.status < 500,
    answer.status,
    answer.text.slice(0, 300),
  ]).toEqual([true, answer.status, answer.text.slice(0, 300)]);
  expect(answer.body).toMatchObject({ error: expect.any(String), errors: expect.any(Array) });
}

function expectNoServerFault(answer: Answer): void {
  expect([
    answer.asked.method,
    answer.asked.path,
    answer.asked.body.slice(0, 200),
    answer.status < 500,
  ]).toEqual([answer.asked.method, answer.asked.path, answer.asked.body.slice(0, 200), true]);
}

/** Fields of every input, as the specification lists them. */
const inputs: Readonly<Record<string, readonly string[]>> = {
  '/contacts': ['full_name', 'phone', 'email', 'label_list', 'custom_attributes'],
  '/contacts/upsert': ['full_name', 'phone', 'email', 'label_list', 'custom_attributes'],
  '/deals': [
    'name',
    'status',
    'stage_id',
    'contact_id',
    'pipeline_id',
    'position',
    'lost_reason',
    'lost_at',
    'won_at',
    'custom_attributes',
  ],
  '/deals/upsert': [
    'name',
    'status',
    'stage_id',
    'contact_id',
    'pipeline_id',
    'position',
    'lost_reason',
    'lost_at',
    'won_at',
    'custom_attributes',
    'contact_attributes',
  ],
  '/deal_products': [
    'product_id',
    'deal_id',
    'quantity',
    'unit_amount_in_cents',
    'product_name',
    'product_identifier',
  ],
  '/products': [
    'identifier',
    'name',
    'description',
    'amount_in_cents',
    'quantity_available',
    'custom_attributes',
  ],
  '/users': [
    'email',
    'password',
    'password_confirmation',
    'full_name',
    'phone',
    'language',
    'avatar_url',
    'job_description',
    'webpush_notify_on_event_expired',
  ],
};

/** JSON of every kind that a field might not be. */
const values = [
  'true',
  '0',
  '-1',
  '1.5',
  '9007199254740993',
  '12345678901234567890',
  '1e400',
  '-1e400',
  '1e-400',
  '[]',
  '{}',
  '[[]]',
  '[{}]',
  '[null]',
  '{"a":1}',
  '{"__proto__":1}',
  '""',
  '" "',
  '"x"',
  String.raw`"\u0000"`,
  String.raw`"a\u0000b"`,
  String.raw`"\ud800"`,
  String.raw`"\udfff\ud800"`,
  `"${'x'.repeat(70_000)}"`,
  '"\'; DROP TABLE contacts; --"',
  '"%"',
  '"$1"',
  '"2026-03-01T10:00:00Z"',
  '{"toString":1}',
  '"NaN"',
  '"Infinity"',
  '"null"',
  '[1e400]',
  '"😀"',
];

describe.each(Object.entries(inputs))('POST %s', (path, fields) => {
  test.each(fields)('any value as %s is answered, and never by a fault of ours', async (field) => {
    const answers = await Promise.all(
      values.map((value) => w.rest.post(path, `{"${field}":${value}}`)),
    );
    for (const answer of answers) expectNoServerFault(answer);
  });

  test('all fields at once of each wrong kind', async () => {
    for (const value of values) {
      const body = `{${fields.map((field) => `"${field}":${value}`).join()}}`;
      expectNoServerFault(await w.rest.post(path, body));
    }
  });
});

describe.each([
  ['deals', '/deals'],
  ['products', '/products'],
  ['deal_products', '/deal_products'],
])('PUT of %s', (resource, path) => {
  test.each(inputs[path] ?? [])(
    'any value as %s is answered, and never by a fault of ours',
    async (field) => {
      const answers = await Promise.all(
        values.map((value) => w.rest.put(`${path}/${ids[resource]}`, `{"${field}":${value}}`)),
      );
      for (const answer of answers) expectNoServerFault(answer);
    },
  );
});

describe('text that PostgreSQL cannot store', () => {
  const strings: [string, string][] = [
    ['/contacts', 'full_name'],
    ['/contacts', 'phone'],
    ['/contacts', 'email'],
    ['/contacts', 'label_list'],
    ['/products', 'name'],
    ['/products', 'identifier'],
    ['/products', 'description'],
    ['/products', 'custom_attributes'],
    ['/users', 'full_name'],
    ['/users', 'phone'],
    ['/users', 'password'],
    ['/users', 'job_description'],
    ['/users', 'avatar_url'],
    ['/deals', 'name'],
    ['/deals', 'lost_reason'],
    ['/deal_products', 'product_name'],
    ['/deal_products', 'product_identifier'],
  ];
  test.each(strings)(
    '%s %s with NUL or half a surrogate pair is a 422 that names the field',
    async (path, field) => {
      const before = await counts();
      const required: Record<string, string> = {
        '/deals': `"stage_id":${w.stageIds[0]},"contact_id":${ids.contacts},`,
        '/deal_products': `"deal_id":${ids.deals},"product_id":${ids.products},`,
        '/users': `"email":"${unique('nul')}","password":"abcdef","password_confirmation":"abcdef",`,
      };
      for (const text of [String.raw`a\u0000`, String.raw`\ud83d`, String.raw`x\udc00y`]) {
        const value = field === 'custom_attributes' ? `{"a":"${text}"}` : `"${text}"`;
        const answer = await w.rest.post(path, `{${required[path] ?? ''}"${field}":${value}}`);
        expect(answer).toAnswer(422);
        expect(Object.keys(Object(Reflect.get(Object(answer.body), 'fields')))).toContain(field);
      }
      expect(await counts()).toEqual(before);
    },
  );
});

describe('numbers', () => {
  test.each([
    '9007199254740992',
    '9007199254740993',
    '1e400',
    '-1',
    '1.0000000000000000001',
    '1e309',
  ])('%s as an amount or an id is refused, never rounded', async (number) => {
    const before = await counts();
    expectRefused(await w.rest.post('/products', `{"amount_in_cents":${number}}`));
    expectRefused(await w.rest.post('/deals', `{"stage_id":${number},"contact_id":${number}}`));
    expectRefused(
      await w.rest.post('/deal_products', `{"deal_id":${number},"product_id":${number}}`),
    );
    const ours = `"deal_id":${ids.deals},"product_id":${ids.products}`;
    expectRefused(await w.rest.post('/deal_products', `{${ours},"quantity":${number}}`));
    expectRefused(
      await w.rest.post(
        '/contacts/search',
        `{"query":{"id_eq":${number === '-1' ? '"x"' : '1.5e999'}}}`,
      ),
    );
    expect(await counts()).toEqual(before);
  });
});

describe('nesting', () => {
  const nested = (levels: number, open: string, close: string) =>
    open.repeat(levels) + close.repeat(levels);

  test.each([
    ['1,000 arrays as a body', nested(1000, '[', ']')],
    ['1,000 objects as a body', `${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`],
    ['100,000 arrays as a body', nested(100_000, '[', ']')],
    ['500,000 open brackets', '['.repeat(500_000)],
    ['1,000 levels as a name', `{"full_name":${nested(1000, '[', ']')}}`],
    [
      '10,000 levels as custom_attributes',
      `{"custom_attributes":{"a":${nested(10_000, '[', ']')}}}`,
    ],
    ['1,000 levels as label_list', `{"label_list":${nested(999, '[', ']')}}`],
  ])('%s', async (_, body) => {
    for (const path of ['/contacts', '/contacts/upsert', '/contacts/search']) {
      expectNoServerFault(await w.rest.post(path, body));
    }
  });

  test('990 levels of custom_attributes come back exactly, or are refused', async () => {
    const attributes = `{"a":${nested(990, '[', ']')}}`;
    const answer = await w.rest.post('/products', `{"custom_attributes":${attributes}}`);
    if (answer.status === 201) expect(answer.text).toContain(`"custom_attributes":${attributes}`);
    else expectRefused(answer);
  });

  test('a search nested 1,000 deep is a 422', async () => {
    const query = `${'{"g":['.repeat(400)}{"id_eq":1}${']}'.repeat(400)}`;
    expect(await w.rest.post('/contacts/search', `{"query":${query}}`)).toAnswer(422);
  });

  test('a GraphQL document nested 1,000 deep is refused', async () => {
    const document = `{ contacts(account_id: ${w.accountId}) { data { ${'deals { contact { '.repeat(500)} id ${'} }'.repeat(500)} } } }`;
    const answer = await w.graphql.send(document);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.errors?.length).toBeGreaterThan(0);
  });
});

describe('names with a meaning in JavaScript', () => {
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '__defineGetter__',
    'toJSON',
    'then',
  ];

  test('as fields are ignored', async () => {
    for (const name of names) {
      const answer = await w.rest.post('/contacts', `{"${name}":{"full_name":"x","toJSON":1}}`);
      expect(answer).toAnswer(201);
      expect(answer.body).toMatchObject({ full_name: '' });
    }
  });

  test('as search keys are a 422 that names the key', async () => {
    for (const name of names) {
      const answer = await w.rest.post('/contacts/search', `{"query":{"${name}":1}}`);
      expect(answer).toAnswer(422);
      expect(answer.text).toContain(`"${name}"`);
    }
  });

  test('nothing was polluted', () => {
    expect(Reflect.get({}, 'full_name')).toBeUndefined();
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  test('in the address are answered', async () => {
    for (const name of names) {
      expectNoServerFault(
        await w.rest.get(`/contacts/search?query[${name}]=1&${name}=1&query[a][${name}][b]=2`),
      );
      expectNoServerFault(await w.rest.get(`/contacts/${name}`));
    }
  });
});

describe('addresses', () => {
  test.each([
    '/contacts/search?query=x',
    '/contacts/search?query[]=x',
    '/contacts/search?query[full_name_cont][]=a&query[full_name_cont][]=b',
    '/contacts/search?query[full_name_cont][a]=b',
    '/contacts/search?query[g][0][id_eq]=x',
    '/contacts/search?query[full_name_cont]=%00',
    '/contacts/search?query[full_name_cont]=%ff',
    '/contacts/search?query[full_name_cont]=%ed%a0%80',
    '/contacts/search?%',
    '/contacts/search?&&&==',
    `/contacts/search?query[full_name_cont]=${'x'.repeat(7000)}`,
    `/contacts/search?${'query[a]'.repeat(500)}=1`,
    `/contacts/search?query${'[g]'.repeat(2000)}=1`,
    '/contacts/search?page[]=1',
    '/contacts/search?page=1&page=2',
    '/contacts/search?per_page[a]=1',
    '/contacts/%00',
    '/contacts/%2e%2e%2f',
    '/contacts/1%00',
    "/contacts/1'",
    '/contacts/1;drop',
    `/contacts/${'9'.repeat(400)}`,
    `/contacts/${'9'.repeat(4000)}`,
    '/contacts/\u00b2',
    '/contacts/%ff',
    '/contacts/0x1',
    '/contacts/1e1',
    '/contacts/ 1',
  ])('%s', async (address) => {
    expectNoServerFault(await w.rest.get(encodeURI(address).replaceAll('%25', '%')));
  });
});

describe('every route', () => {
  const table = routes.map((route) => ({ ...route, name: `${route.method} ${route.path}` }));
  const bodies: [string, string | Buffer][] = [
    ['nothing', ''],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '1e400'],
    ['a string', '"x"'],
    ['malformed JSON', '{"a":'],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-16', Buffer.from('{"full_name":"x"}', 'utf16le')],
    ['NUL bytes', Buffer.alloc(100)],
    ['equal keys', '{"name":"a","name":1,"name":null}'],
    ['10,000 keys', `{${Array.from({ length: 10_000 }, (_, n) => `"k${n}":${n}`).join()}}`],
    ['a long string', `{"name":"${'x'.repeat(900_000)}"}`],
  ];

  test.each(table.filter((route) => !route.path.includes('users') && route.method !== 'DELETE'))(
    '$name answers $path whatever the body',
    async ({ method, path }) => {
      const address = path.replace(
        /\/([a-z_]+)\/:([a-z_]+)/g,
        (_, resource) => `/${resource}/${ids[resource]}`,
      );
      for (const [, body] of bodies) expectNoServerFault(await w.rest.send(method, address, body));
    },
  );

  test.each(table.filter((route) => route.path.includes('/:')))(
    '$name with an id that is none',
    async ({ method, path }) => {
      for (const id of [
        '%00',
        '-1',
        '1.5',
        '9'.repeat(30),
        '1%20',
        'null',
        '%F0%9F%98%80',
        '1,2',
      ]) {
        const answer = await w.rest.send(
          method,
          path.replace(/:[a-z_]+/g, id),
          method === 'POST' || method === 'PUT' ? {} : undefined,
        );
        expect(answer).toAnswer(404);
      }
    },
  );
});

describe('headers', () => {
  test('a lying Content-Length, an odd encoding and an odd charset', async () => {
    for (const headers of [
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'br' },
      { 'content-type': 'application/json; charset=utf-16' },
      { 'content-type': 'application/json; charset=x' },
      { 'x-request-id': 'x'.repeat(5000) },
      { 'x-forwarded-for': "1.2.3.4, '; DROP" },
      { 'x-forwarded-proto': 'http' },
      { 'x-http-method-override': 'DELETE' },
      { accept: 'text/html' },
    ]) {
      expectNoServerFault(await w.rest.post('/contacts', '{}', headers));
    }
  });

  test('a header of 20 KB is refused by the protocol', async () => {
    // A client of its own: the connection does not outlive such a request.
    const client = new Client(service.url);
    const sending = { method: 'GET', path: '/livez', headers: { 'x-long': 'x'.repeat(20_000) } };
    const answer = await client.send(sending).catch(() => undefined);
    client.close();
    expect(answer === undefined || (answer.status >= 400 && answer.status < 500)).toBe(true);
  });
});

describe('GraphQL', () => {
  test.each([
    '',
    '{',
    '{ nope }',
    'query ($a: Nope!) { __typename }',
    '{ contact(account_id: 1e400, id: 1) { id } }',
    'fragment A on Contact { ...A } { contacts(account_id: 1) { data { ...A } } }',
    '{ __proto__ { constructor } }',
    'subscription { x }',
    'mutation { create_contact(account_id: "1", input: "x") { id } }',
    'mutation { create_contact(account_id: 1, input: {email: {a: 1}}) { id } }',
    '\u0000',
    '{ a: __typename, a: __schema { types { name } } }',
    'query A { __typename } query B { __typename }',
  ])('%j is answered in the protocol, without a fault of ours', async (document) => {
    const answer = await w.graphql.send(document);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body.errors?.map((error) => error.extensions.code)).not.toContain(
      'INTERNAL_SERVER_ERROR',
    );
  });

  test.each(values)('%s as any variable', async (value) => {
    const document = `mutation ($account: Integer!, $input: ContactInput!) { create_contact(account_id: $account, input: $input) { id } }`;
    for (const variables of [
      `{"account":${value},"input":{}}`,
      `{"account":${w.accountId},"input":${value}}`,
      `{"account":${w.accountId},"input":{"full_name":${value},"email":${value},"label_list":${value},"custom_attributes":${value}}}`,
      value,
    ]) {
      const answer = await w.graphql.send(document, variables);
      expect(answer.status).toBeLessThan(500);
      expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
    }
  });

  test.each([
    '[]',
    '1',
    '"x"',
    'null',
    '[{"query":"{ __typename }"}]',
    '{"query":1}',
    '{"query":null}',
    '{"query":{}}',
    '{}',
    '{"query":"{__typename}","variables":[]}',
  ])('the body %s', async (body) => {
    const answer = await service.client.send({
      method: 'POST',
      path: '/graphql',
      headers: { authorization: `Bearer ${w.admin.token}`, 'content-type': 'application/json' },
      body,
    });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain('INTERNAL_SERVER_ERROR');
  });
});

test('the service still works, and logged no fault of its own', async () => {
  const contact = await w.contact({ full_name: 'Still here' });
  expect((await w.fetchContact(contact.id)).full_name).toBe('Still here');
  expect(service.logged.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
