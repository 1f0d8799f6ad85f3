/** What the environment decides: limits of rate and size, and TLS that ends at a proxy. */
import { describe, expect, test } from '@jest/globals';
import { answerToBytes } from '../kit/bytes.ts';
import type { Answer } from '../kit/http.ts';
import { forbidden, notFound, tooLarge, unauthorized } from '../kit/refusals.ts';
import { type Service, sharedService, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

const shared = await sharedService();

/** A service of this environment beside the one that is shared, for as long as the work takes. */
async function within(
  env: Readonly<Record<string, string>>,
  work: (service: Service) => Promise<void>,
) {
  const service = await startService({ database: shared.database, env });
  try {
    await work(service);
  } finally {
    await service.close();
  }
}

test('past RATE_LIMIT requests a minute a token gets 429, another token does not', () =>
  within({ RATE_LIMIT: '5' }, async (service) => {
    const w = await world(service);
    const statuses: number[] = [];
    const left: (readonly unknown[])[] = [];
    const told = ({ headers }: Answer) => [headers['ratelimit-policy'], headers['ratelimit']];
    for (let n = 0; n < 5; n += 1) {
      const answer = await w.rest.get(n === 1 ? '/contacts/999999999' : '/contacts/search');
      statuses.push(answer.status);
      left.push(told(answer));
    }
    expect(statuses).toEqual([200, 404, 200, 200, 200]);
    const refused = await w.rest.get('/contacts/search');
    expect([...left, told(refused)]).toEqual(
      [4, 3, 2, 1, 0, 0].map((rest) => [
        '"default";q=5;w=60',
        expect.stringMatching(new RegExp(`^"default";r=${rest};t=([1-9]|[1-5]\\d|60)$`)),
      ]),
    );
    expect(refused).toAnswer(429, {
      error: 'Too many requests',
      code: 'too_many_requests',
      errors: [expect.stringMatching(/\S/)],
      request_id: expect.any(String),
    });
    const [, seconds] = /t=(\d+)/.exec(String(refused.headers['ratelimit'])) ?? [];
    expect(refused.headers['retry-after']).toBe(seconds);
    const anonymous = await w.restAs(undefined).get('/contacts/search');
    expect(told(anonymous)).toEqual([undefined, undefined]);
    expect(await w.restAs(w.member.token).get('/contacts/search')).toAnswer(200);
  }));

test('429 comes after 401 and before everything else, and is for 404s, too', () =>
  within({ RATE_LIMIT: '2' }, async (service) => {
    const w = await world(service);
    const foreign = (await world(service)).restAs(w.member.token);
    const tooMany = expect.objectContaining({ error: 'Too many requests' });
    expect(await foreign.post('/users', '{')).toAnswer(404, notFound);
    expect(await w.restAs(w.member.token).post('/users', '{')).toAnswer(403, forbidden);
    expect(await foreign.post('/users', '{')).toAnswer(429, tooMany);
    expect(await w.restAs(w.member.token).post('/users', '{')).toAnswer(429, tooMany);
    expect(await w.restAs(`${w.member.token}x`).post('/users', '{')).toAnswer(401, unauthorized);
  }));

test('a 429 is held back for a fifth of a second, and others on its connection are answered behind it', () =>
  within({ RATE_LIMIT: '1' }, async (service) => {
    const { admin, accountId, rest } = await world(service);
    expect(await rest.get('/contacts/search')).toAnswer(200);
    const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
    const refused = get(
      `/api/v1/accounts/${accountId}/contacts/search`,
      `Authorization: Bearer ${admin.token}\r\n`,
    );
    const start = performance.now();
    const answers = await answerToBytes(
      service.url,
      refused + refused + get('/livez', 'Connection: close\r\n'),
    );
    const took = performance.now() - start;
    expect(answers.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(['429', '429', '200']);
    expect(took).toBeGreaterThan(200);
  }));

test('BODY_LIMIT is the limit of a body: at it 201, one byte more 413', () =>
  within({ BODY_LIMIT: '2KiB' }, async (service) => {
    const { rest } = await world(service);
    const max = `{"ignored":"${'x'.repeat(2048 - 14)}"}`;
    expect(await rest.post('/contacts', max)).toAnswer(201);
    expect(await rest.post('/contacts', `${max} `)).toAnswer(413, tooLarge);
  }));

const mebibyte = 1024 * 1024;

test.each(['/api/v1/accounts/{account_id}/contacts', '/graphql'])(
  'a body to %s that is too large is read to its end, unless that is far away',
  (path) =>
    within({ BODY_LIMIT: '2KiB' }, async (service) => {
      const { admin, accountId } = await world(service);
      const to = path.replace('{account_id}', String(accountId));
      const post = (length: number) =>
        `POST ${to} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
      const statuses = async (bytes: string) =>
        (await answerToBytes(service.url, bytes)).match(/(?<=HTTP\/1.1 )\d+/g);
      const next = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const large = 4 * mebibyte;
      expect(await statuses(`${post(large)}${'x'.repeat(large)}${next}`)).toEqual(['413', '200']);
      expect(await statuses(post(9 * mebibyte))).toEqual(['413']);
    }),
);

const tooDeep = '['.repeat(1100) + ']'.repeat(1100);

test.each([
  ['400', '/api/v1/accounts/{account_id}/contacts', '{', 'application/json'],
  ['415', '/api/v1/accounts/{account_id}/contacts', '<a/>', 'text/xml'],
  ['422', '/api/v1/accounts/{account_id}/contacts', tooDeep, 'application/json'],
  ['400', '/graphql', '{', 'application/json'],
])('a connection stays open after a %s for a body to %s', async (status, path, body, type) => {
  const { admin, accountId } = await world(shared);
  const to = path.replace('{account_id}', String(accountId));
  const refused =
    `POST ${to} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${admin.token}\r\n` +
    `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const last = 'GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const answers = await answerToBytes(shared.url, refused + last);
  expect(answers.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual([status, '200']);
  expect(answers.match(/^connection: close/gim)).toHaveLength(1);
});

describe('behind a proxy that ends TLS', () => {
  const behind = (trusted: string) => ({
    TLS: 'proxy',
    TRUSTED_PROXIES: trusted,
    TLS_CERT_FILE: '',
    TLS_KEY_FILE: '',
  });
  const refusal = {
    error: 'Forbidden',
    code: 'forbidden',
    errors: [expect.stringMatching(/TLS/)],
    request_id: expect.any(String),
  };

  test('what it received over TLS is answered, anything else is a 403', () =>
    within(behind('127.0.0.1'), async (service) => {
      const { rest } = await world(service);
      const over = (protocol: string) => ({
        'x-forwarded-proto': protocol,
        'x-forwarded-for': '203.0.113.7',
      });
      const created = await rest.post('/contacts', {}, over('https'));
      expect(created).toAnswer(201);
      expect(created.headers['strict-transport-security']).toBe('max-age=31536000');
      const refused = await rest.post('/contacts', {}, over('http'));
      expect(refused).toAnswer(403, refusal);
      expect(refused.headers).not.toHaveProperty('strict-transport-security');
      expect(await rest.post('/contacts', {})).toAnswer(403, refusal);
    }));

  test('a proxy that is not trusted cannot say so', () =>
    within(behind('192.0.2.1'), async (service) => {
      const { rest } = await world(service);
      const answer = await rest.post('/contacts', {}, { 'x-forwarded-proto': 'https' });
      expect(answer).toAnswer(403, refusal);
    }));
});

/** @returns the id of a contact with `count` events of 65 KB */
async function withLargeEvents(w: World, count: number): Promise<number> {
  const { id } = await w.contact();
  await w.service.database.query(
    `INSERT INTO events (account_id, contact_id, kind, title, custom_attributes)
     SELECT $1, $2, 'note', 'Large', json_build_object('a', repeat('x', 65000))
     FROM generate_series(1, $3::int)`,
    [w.accountId, id, count],
  );
  return id;
}

test('an answer of more than 32 MiB is a 422, and GraphQL can ask for a part of it', async () => {
  const w = await world(shared);
  const id = await withLargeEvents(w, 550);
  const tooLong = 'The answer would have more than 32 MiB: GraphQL can ask for a part of it';
  expect(await w.rest.get(`/contacts/${id}`)).toAnswer(422, {
    error: 'Validation failed',
    code: 'validation_failed',
    errors: [tooLong],
    request_id: expect.any(String),
  });
  const { body } = await w.graphql.send(
    `{ contact(account_id: ${w.accountId}, id: ${id}) { events(limit: 2) { title } } }`,
  );
  expect(body).toEqual({
    data: { contact: { events: [{ title: 'Large' }, { title: 'Large' }] } },
  });
});

test('a document that is refused while a large part of it is read leaves large answers to others', async () => {
  const w = await world(shared);
  const id = await withLargeEvents(w, 40);
  const large = `contact(account_id: ${w.accountId}, id: ${id}) { events { custom_attributes } }`;
  const refused = `contact(account_id: ${w.accountId}, id: 0) { id }`;
  const { body } = await w.graphql.send(`{ refused: ${refused} large: ${large} }`);
  expect(body).toMatchObject({ data: { refused: null }, errors: [{ path: ['refused'] }] });
  expect(await w.rest.get(`/contacts/${id}`)).toMatchObject({ status: 200 });
});

test('a probe of readiness asks the database twice a second at most', () =>
  within({}, async (service) => {
    await service.client.send({ method: 'GET', path: '/readyz' });
    service.statements.length = 0;
    const began = performance.now();
    for (let n = 0; n < 50; n++) {
      const { status } = await service.client.send({ method: 'GET', path: '/readyz' });
      expect(status).toBe(200);
    }
    const max = 1 + Math.ceil((performance.now() - began) / 500);
    expect(service.statements.length).toBeLessThanOrEqual(max);
  }));
