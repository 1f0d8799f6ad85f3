/** Odd bodies, addresses and headers: never a fault of ours. */
import { describe, expect, test } from '@jest/globals';
import { Client } from '../kit/http.ts';
import { filled, oneOfEach } from '../kit/one_of_each.ts';
import { sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { world } from '../kit/world.ts';
import { expectNoServerFault, expectRefused, expectUnharmed } from './hostile.ts';

const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();
const w = await world(service);
const ids: Readonly<Record<string, number>> = await oneOfEach(w);

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
      const answer = await w.rest.post(
        '/contacts',
        `{"email":"","${name}":{"full_name":"x","toJSON":1}}`,
      );
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
  const table = routes.map((route, at) => ({
    ...route,
    at,
    name: `${route.method} ${route.path}`,
  }));
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

  const invalidIds = ['%00', '-1', '1.5', '9'.repeat(30), '1%20', 'null', '%F0%9F%98%80', '1,2'];

  test.each(table.filter((route) => !route.path.includes('users') && route.method !== 'DELETE'))(
    '$name answers $path whatever the body',
    async ({ method, path, at }) => {
      const address = filled(path, ids);
      for (const [, body] of sample(bodies, 4, at)) {
        expectNoServerFault(await w.rest.send(method, address, body));
      }
    },
  );

  test.each(table.filter((route) => route.path.includes('/:')))(
    '$name with an invalid id',
    async ({ method, path, at }) => {
      for (const id of sample(invalidIds, 4, at)) {
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

test('none of it harmed the service', () => expectUnharmed(service, w));
