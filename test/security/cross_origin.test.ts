/** ALLOWED_ORIGINS: pages of other origins that may call with a token, and never with the cookie. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { listen } from '../kit/events.ts';
import type { Answer } from '../kit/http.ts';
import { Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

const { headers: documented } =
  await shipped<typeof import('../../src/rest/openapi/headers.ts')>('rest/openapi/headers.js');

const origin = 'https://app.example.com';
const local = 'http://localhost:5173';

let service: Service;
let w: World;
let cookie: string;
beforeAll(async () => {
  service = await startService({
    env: { ALLOWED_ORIGINS: `${origin}, HTTP://LocalHost:5173/`, RATE_LIMIT: '500' },
  });
  w = await world(service);
  const { email } = await w.user();
  const person = new Person(service.client);
  expect(await person.signIn(email)).toAnswer(201);
  cookie = person.cookie ?? '';
});
afterAll(() => service.close());

const send = (
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
) =>
  service.client.send({
    method,
    path,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body }),
  });

const listOf = (text: unknown): string[] => String(text).toLowerCase().split(', ');
const corsOf = ({ headers }: Answer) =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'));

/** Answers of every kind, by the path and what is sent. */
const kinds: readonly (readonly [string, number, (from: string) => Promise<Answer>])[] = [
  ['a record', 200, async (from) => asked('GET', `/contacts/${(await w.contact()).id}`, from)],
  ['a creation', 201, (from) => asked('POST', '/contacts', from, '{}')],
  ['a search', 200, (from) => asked('POST', '/contacts/search', from, '{}')],
  ['an export', 200, (from) => asked('GET', '/contacts/export', from)],
  ['a 404', 404, (from) => asked('GET', '/contacts/999999999', from)],
  ['a 405', 405, (from) => asked('PATCH', '/contacts', from, '{}')],
  ['a 422', 422, (from) => asked('POST', '/deals', from, '{}')],
  ['a 400', 400, (from) => asked('POST', '/deals', from, '{')],
  ['a 401', 401, (from) => send('GET', `/api/v1/accounts/${w.accountId}/me`, { origin: from })],
  ['no route', 404, (from) => send('GET', '/nowhere', { origin: from })],
  ['a path that cannot be decoded', 404, (from) => send('GET', '/%', { origin: from })],
  ['the document', 200, (from) => send('GET', '/openapi.json', { origin: from })],
  ['a query', 200, (from) => send('POST', '/graphql', bearer(from), '{"query":"{ __typename }"}')],
  [
    'a query by its address',
    200,
    (from) => send('GET', '/graphql?query={__typename}', bearer(from)),
  ],
  [
    'a query without a token',
    401,
    (from) => send('POST', '/graphql', { origin: from }, '{"query":"{ __typename }"}'),
  ],
  [
    'a subscription that is refused',
    200,
    (from) => send('POST', '/graphql/stream', bearer(from), '{"query":"{"}'),
  ],
];
const bearer = (from: string) => ({ authorization: `Bearer ${w.admin.token}`, origin: from });
const asked = (method: string, path: string, from: string, body?: string) =>
  send(method, `/api/v1/accounts/${w.accountId}${path}`, bearer(from), body);

describe.each(kinds)('%s', (_, status, ask) => {
  test.each([origin, local])('may be read by a page of %s', async (from) => {
    const answer = await ask(from);
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin']).toBe(from);
    expect(listOf(answer.headers.vary)).toContain('origin');
    expect(corsOf(answer)).toEqual([
      'access-control-allow-origin',
      'access-control-expose-headers',
    ]);
  });

  test.each([
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://app.example.com:8443',
    'http://app.example.com',
    'https://APP.example.com',
    'null',
    '*',
  ])('may not be read by a page of %s', async (from) => {
    const answer = await ask(from);
    expect(answer.status).toBe(status);
    expect(corsOf(answer)).toEqual([]);
    expect(listOf(answer.headers.vary)).toContain('origin');
  });
});

test('the vary of an answer that may come compressed names both', async () => {
  const { headers } = await send('GET', '/openapi.json', { origin });
  expect(listOf(headers.vary)).toEqual(['origin', 'accept-encoding']);
});

test('every header that the interface documents may be read', async () => {
  const { headers } = await send('GET', '/openapi.json', { origin });
  const exposed = listOf(headers['access-control-expose-headers']);
  expect(exposed).toEqual(
    expect.arrayContaining(Object.keys(documented).map((name) => name.toLowerCase())),
  );
});

test('an event stream may be read', async () => {
  await w.contact();
  const path = `/api/v1/accounts/${w.accountId}/changes`;
  const stream = await listen(service.url, path, bearer(origin));
  stream.close();
  expect([stream.status, stream.body]).toEqual([200, '']);
  expect(stream.headers['content-type']).toMatch(/^text\/event-stream/);
  expect(stream.headers['access-control-allow-origin']).toBe(origin);
});

describe('a preflight', () => {
  const preflight = (from: string, path = `/api/v1/accounts/${w.accountId}/contacts/1`) =>
    send('OPTIONS', path, {
      origin: from,
      'access-control-request-method': 'PUT',
      'access-control-request-headers': 'authorization,if-match',
    });

  test.each(['', '/graphql', '/graphql/stream', '/nowhere'])(
    'of a listed origin is answered: %s',
    async (path) => {
      const answer = await preflight(origin, path || undefined);
      expect([answer.status, answer.text]).toEqual([204, '']);
      const { headers } = answer;
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(listOf(headers['access-control-allow-methods'])).toEqual(
        listOf('GET, HEAD, POST, PUT, PATCH, DELETE'),
      );
      expect(listOf(headers['access-control-allow-headers'])).toEqual(
        expect.arrayContaining(
          listOf(
            'Authorization, Content-Type, Content-Encoding, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id, X-Changes-Cursor, Last-Event-ID',
          ),
        ),
      );
      expect(headers['access-control-max-age']).toBe('7200');
      expect(headers).not.toHaveProperty('access-control-allow-credentials');
      expect(headers['x-request-id']).toMatch(/\S/);
    },
  );

  test.each(['https://evil.example', 'null'])('of %s is a 405', async (from) => {
    const answer = await preflight(from);
    expect(answer.status).toBe(405);
    expect(corsOf(answer)).toEqual([]);
  });

  test('is nothing where it asks for no method', async () => {
    expect((await send('OPTIONS', '/graphql', { origin })).status).toBe(405);
  });
});

test('a cookie is good for nothing to a listed origin, and no answer to it may be read', async () => {
  const query = '{"query":"{ __typename }"}';
  for (const site of ['cross-site', 'same-site']) {
    for (const path of ['/graphql', '/session']) {
      const headers = { cookie, origin, 'sec-fetch-site': site };
      const answer = await send('POST', path, headers, query);
      expect(answer.status).toBe(403);
      expect(corsOf(answer)).toEqual([]);
    }
  }
});

test('a 429 may be read', async () => {
  const spend = async () => {
    const { headers } = await asked('GET', '/me', origin);
    const left = Number(/r=(\d+)/.exec(String(headers.ratelimit))?.[1] ?? 0);
    await Promise.all(Array.from({ length: left }, () => asked('GET', '/me', origin)));
    return asked('GET', '/me', origin);
  };
  // The minute may end meanwhile, and the next one is spent then.
  const answer = await until(spend, ({ status }) => status === 429, 15_000);
  expect(answer.status).toBe(429);
  expect(answer.headers['access-control-allow-origin']).toBe(origin);
  expect(listOf(answer.headers['access-control-expose-headers'])).toContain('retry-after');
});

test('without the setting no origin may read anything, and answers do not depend on it', async () => {
  const other = await startService();
  const answer = await other.client.send({ method: 'GET', path: '/nowhere', headers: { origin } });
  expect(corsOf(answer)).toEqual([]);
  expect(answer.headers).not.toHaveProperty('vary');
  await other.close();
});
