/** No page of another site, or of another host, reads, writes or signs anybody in by a browser. */
import { describe, expect, test } from '@jest/globals';
import { Person } from '../kit/person.ts';
import type { Headers } from '../kit/rest.ts';
import { sharedService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const { email } = await w.user();
const person = new Person(service.client);
expect(await person.signIn(email)).toAnswer(201);
/** The cookie of someone who is signed in, which no browser would send with most of these. */
const cookie = person.cookie ?? '';

const refused = {
  error: 'Forbidden',
  code: 'forbidden',
  errors: [
    'People sign in, and are known by their cookie, on pages of this service alone: with Sec-Fetch-Site: same-origin, or its own Origin',
  ],
  request_id: expect.any(String),
};

/** What a browser says of requests by other pages, the host being ours. */
const ways: readonly (readonly [string, (host: string) => Headers])[] = [
  [
    'fetch',
    () => ({
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
      origin: 'https://evil.example',
    }),
  ],
  [
    'a form',
    () => ({
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      origin: 'https://evil.example',
    }),
  ],
  [
    'an image',
    () => ({
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'no-cors',
      'sec-fetch-dest': 'image',
    }),
  ],
  [
    'a redirect',
    (host) => ({ 'sec-fetch-site': 'cross-site', origin: 'null', referer: `https://${host}/` }),
  ],
  [
    'another host of the same site',
    (host) => ({ 'sec-fetch-site': 'same-site', origin: `https://other.${host}` }),
  ],
  ['a link that was typed', () => ({ 'sec-fetch-site': 'none' })],
  [
    'a page that claims our Origin',
    (host) => ({ 'sec-fetch-site': 'cross-site', origin: `https://${host}` }),
  ],
  ['two answers in one header', () => ({ 'sec-fetch-site': 'same-origin, cross-site' })],
  ['an old browser', () => ({ origin: 'https://evil.example' })],
  ['an old browser’s sandbox', () => ({ origin: 'null' })],
  ['an old browser’s form', (host) => ({ referer: `https://${host}/` })],
  ['an old browser without TLS', (host) => ({ origin: `http://${host}` })],
  [
    'an old browser at another port',
    (host) => ({ origin: `https://${host.replace(/:\d+$/, ':444')}` }),
  ],
  [
    'an old browser at a host that begins like ours',
    (host) => ({ origin: `https://${host}.evil.example` }),
  ],
];

/** What they ask for: method, path, body. */
const requests: Readonly<Record<string, () => readonly [string, string, object?]>> = {
  'to sign in': () => ['POST', '/session', { email, password: 'correct horse' }],
  'to redeem a link': () => [
    'POST',
    '/session',
    { code: 'A'.repeat(22), password: 'abcdef', password_confirmation: 'abcdef' },
  ],
  'who is signed in': () => ['GET', '/session'],
  'to sign out': () => ['DELETE', '/session'],
  'to write': () => [
    'POST',
    '/graphql',
    { query: `mutation { create_product(account_id: ${w.accountId}, input: {}) { id } }` },
  ],
  'to read': () => ['POST', '/graphql', { query: `{ me(account_id: ${w.accountId}) { role } }` }],
};

describe.each(Object.entries(requests))('asks %s', (_, request) => {
  test.each(ways)('by %s, and is refused', async (__, way) => {
    const [method, path, body] = request();
    service.statements.length = 0;
    const {
      status,
      headers,
      body: answer,
    } = await service.client.send<{
      errors: readonly { message: string; extensions: { code: string } }[];
    }>({
      method,
      path,
      headers: {
        cookie,
        ...(body && { 'content-type': 'application/json' }),
        ...way(new URL(service.url).host),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect([status, headers['set-cookie'], headers['access-control-allow-origin']]).toEqual([
      403,
      undefined,
      undefined,
    ]);
    if (path === '/session') expect(answer).toEqual(refused);
    else
      expect(answer).toEqual({
        errors: [
          { message: 'Forbidden', extensions: { code: 'FORBIDDEN', errors: refused.errors } },
        ],
      });
    expect(service.statements).toEqual([]);
  });
});

test('afterwards the person is still signed in, and nothing was written', async () => {
  expect(await person.send('GET', '/session')).toAnswer(200);
  expect(await w.count('products')).toBe(0);
});

describe('a page of ours', () => {
  const ask = (headers: Headers) =>
    service.client.send({ method: 'GET', path: '/session', headers: { cookie, ...headers } });

  test('is known by Fetch-Metadata, and in an old browser by its Origin', async () => {
    const { host } = new URL(service.url);
    expect(await ask({ 'sec-fetch-site': 'same-origin' })).toAnswer(200);
    expect(await ask({ origin: `https://${host}` })).toAnswer(200);
    expect(await ask({ origin: `HTTPS://${host.toUpperCase()}` })).toAnswer(200);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'])(
    'writes nothing with %s, as a form could',
    async (type) => {
      const name = unique('form');
      const query = `mutation { create_product(account_id: ${w.accountId}, input: {name: "${name}"}) { id } }`;
      const sent = person.send('POST', '/graphql', { query }, { 'content-type': type });
      expect(await sent).toAnswer(415);
      expect(await w.count('products')).toBe(0);
    },
  );

  test('may be asked for by no other: nobody else is told that it may read or write', async () => {
    for (const path of ['/session', '/graphql']) {
      const { status, headers } = await service.client.send({
        method: 'OPTIONS',
        path,
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      });
      const allowed = Object.keys(headers).filter((name) => name.startsWith('access-control'));
      expect([path, status, allowed]).toEqual([path, 405, []]);
    }
  });
});
