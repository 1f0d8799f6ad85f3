import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorBody } from '../kit/records.ts';
import {
  forbidden,
  invalid,
  malformedJson,
  noRoute,
  notAllowed,
  notFound,
  tooLarge,
  unauthorized,
  unsupported,
} from '../kit/refusals.ts';
import { routes } from '../kit/routes.ts';
import { type Service, startService } from '../kit/service.ts';
import { contactBody } from '../kit/shapes.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

/** Everything that a socket says until it ends. */
function raw(socket: ReturnType<typeof connect>, send: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => resolve(text));
    socket.on('close', () => resolve(text));
    socket.write(send);
  });
}

describe('TLS', () => {
  test('plain HTTP on the port gets no answer from the application', async () => {
    const port = Number(new URL(service.url).port);
    const said = await raw(
      connect(port, '127.0.0.1'),
      `GET /api/v1/accounts/${w.accountId}/contacts/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(said).not.toContain('HTTP/1.1 200');
    expect(said).not.toContain('request_id');
  });

  test('the service goes on after plain HTTP and after nonsense on its port', async () => {
    const port = Number(new URL(service.url).port);
    await raw(connect(port, '127.0.0.1'), '\0\x01nonsense\r\n\r\n');
    const options = { port, host: '127.0.0.1', rejectUnauthorized: false };
    const said = await raw(connectTls(options), 'NONSENSE / HTTP/9.9\r\n\r\n');
    expect(said).toMatch(/^(HTTP\/1\.1 400|$)/);
    await w.contact();
  });

  test('TLS 1.1 is refused', async () => {
    const port = Number(new URL(service.url).port);
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    const said = new Promise((resolve) => {
      const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...old });
      socket.on('secureConnect', () => resolve('connected'));
      socket.on('error', () => resolve('refused'));
    });
    expect(await said).toBe('refused');
  });
});

describe('bodies', () => {
  test.each([
    '{',
    '{"a":}',
    'a=1',
    '{"full_name":"a"} x',
    "{'a':1}",
    '{"a":1,}',
    '\u0000',
    '{"a":01}',
    '{"a":NaN}',
    '"\\x"',
    '{"a":"\n"}',
  ])('malformed JSON %j is a 400', async (body) => {
    expect(await w.rest.post('/contacts', body)).toAnswer(400, malformedJson);
  });

  test.each([
    ['{"full_name": "x",}', ' from line 1, column 19'],
    ['{\n  "full_name": "x",\n}', ' from line 3, column 1'],
    ["{'full_name': 'x'}", ' from line 1, column 2'],
    ['{"full_name": "x"', /^ from line 1, column 18$|^: it ends too early$/],
    ['{"full_name":', ': it ends too early'],
    ['full_name=x', ''],
  ])('of %j it is told from where on it is no JSON', async (body, place) => {
    const { errors } = (await w.rest.post<ErrorBody>('/contacts', body)).body;
    expect(errors).toHaveLength(1);
    const told = String(errors[0]).replace('The request body is not valid JSON', '');
    if (typeof place === 'string') expect(told).toBe(place);
    else expect(told).toMatch(place);
  });

  test('bytes that are no UTF-8 are a 400', async () => {
    const body = Buffer.from([...Buffer.from('{"full_name":"'), 0xff, 0xfe, ...Buffer.from('"}')]);
    expect(await w.rest.post('/contacts', body)).toAnswer(400, {
      ...malformedJson,
      errors: ['The request body is not valid JSON: it is not UTF-8'],
    });
  });

  describe('a long body, which is read in parts,', () => {
    const batch = (texts: readonly string[], start = '') =>
      Buffer.from(
        `${start}{"operation":"create","records":[${texts.map((note) => `{"custom_attributes":{"note":"${note}"}}`)}]}`,
      );

    test.each(['€', '\ufeff', '😀', 'é'])('comes to the letter, full of %j', async (character) => {
      // Parts would end before each byte of a character, and begin with one that may be a mark.
      for (const before of [0, 1, 2, 3]) {
        const long = Array<string>(20).fill(character.repeat(15_000));
        const texts = ['x'.repeat(before), ...long];
        const start = before === 0 ? '\ufeff' : '';
        const sent = await w.rest.post<{ results: { id: number }[] }>(
          '/contacts/batch',
          batch(texts, start),
        );
        const rows = await service.database.query<{ note: string }>(
          `SELECT custom_attributes->>'note' AS note FROM contacts WHERE id = ANY($1) ORDER BY id`,
          [sent.body.results.map(({ id }) => id)],
        );
        expect(rows.map(({ note }, at) => note === texts[at])).toEqual(texts.map(() => true));
      }
    });

    test.each([600_000, 262_144, 262_143])('is a 400 where byte %i is no UTF-8', async (at) => {
      const body = batch(Array<string>(20).fill('x'.repeat(50_000)));
      body[at] = 0xbf;
      expect(await w.rest.post('/contacts/batch', body)).toAnswer(400, {
        ...malformedJson,
        errors: ['The request body is not valid JSON: it is not UTF-8'],
      });
    });
  });

  test.each(['[]', '"x"', '1', 'null', 'true', '[{"full_name":"x"}]', '1e400'])(
    'JSON %s, which is no object, is a 422',
    async (body) => {
      expect(await w.rest.post('/contacts', body)).toAnswer(
        422,
        expect.objectContaining({ error: 'Validation failed' }),
      );
      expect(await w.rest.post('/contacts/search', body)).toAnswer(
        422,
        expect.objectContaining({ errors: expect.any(Array) }),
      );
    },
  );

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonx',
    'text/json',
    '',
  ])('the content type "%s" is a 415', async (type) => {
    const answer = await w.rest.post('/contacts', '{}', { 'content-type': type });
    expect(answer).toAnswer(415, unsupported);
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json ; charset="utf-8"',
  ])('the content type "%s" is taken', async (type) => {
    const answer = await w.rest.post('/contacts', '{"full_name":"É"}', { 'content-type': type });
    expect(answer).toAnswer(201, contactBody(w.accountId, { full_name: 'É' }));
  });

  test.each(['text/plain', 'json', ';', ''])(
    'a body of the content type "%s" is not looked at where none is taken',
    async (type) => {
      const { id } = await w.contact();
      const as = { 'content-type': type };
      expect(await w.rest.send('GET', `/contacts/${id}`, '{', as)).toAnswer(200);
      expect(await w.rest.send('DELETE', `/contacts/${id}`, '{', as)).toAnswer(204);
      expect(await w.rest.send('PUT', '/contacts', '{', as)).toAnswer(405, notAllowed);
      expect(await w.rest.post('/nothing', '{', as)).toAnswer(404, noRoute);
    },
  );

  test('1 MiB is taken, one byte more is a 413', async () => {
    const max = `{"ignored":"${'x'.repeat(1_048_576 - 14)}"}`;
    expect(Buffer.byteLength(max)).toBe(1_048_576);
    expect(await w.rest.post('/contacts', max)).toAnswer(201);
    expect(await w.rest.post('/contacts', `${max} `)).toAnswer(413, {
      ...tooLarge,
      errors: ['The request body must not have more than 1,048,576 bytes, unpacked'],
    });
    const chunked = { 'transfer-encoding': 'chunked', 'content-length': [] };
    expect(await w.rest.post('/contacts', `${max} `, chunked)).toAnswer(413, tooLarge);
  });

  test('a transfer encoding other than chunked is refused, and nothing is written', async () => {
    const before = (await w.rest.get('/contacts/search')).text;
    const encoded = { 'transfer-encoding': 'gzip, chunked', 'content-length': [] };
    expect(await w.rest.post('/contacts', '{}', encoded)).toAnswer(400, {
      error: 'Bad request',
      code: 'bad_request',
      errors: ['The only transfer encoding known is chunked'],
      request_id: expect.any(String),
    });
    expect((await w.rest.get('/contacts/search')).text).toBe(before);
  });

  test('a byte order mark is not JSON or is ignored, but never kept', async () => {
    const answer = await w.rest.post('/contacts', '\ufeff{"full_name":"x"}');
    expect([201, 400]).toContain(answer.status);
  });

  test('of equal keys the last counts', async () => {
    const answer = await w.rest.post('/contacts', '{"full_name":"first","full_name":"last"}');
    expect(answer).toAnswer(201, contactBody(w.accountId, { full_name: 'last' }));
  });

  test('__proto__ as a field is ignored like any unknown one', async () => {
    const answer = await w.rest.post(
      '/contacts',
      '{"__proto__":{"full_name":"x"},"constructor":1}',
    );
    expect(answer).toAnswer(201, contactBody(w.accountId));
  });
});

describe('the log', () => {
  test('says where the service listens', () => {
    expect(service.logged).toContainEqual(
      expect.stringContaining(`"msg":"listening at ${service.url}"`),
    );
  });

  test('has a line for a request, and none for a health check', async () => {
    for (const path of ['/livez', '/readyz', '/openapi.json']) {
      const headers = { 'x-request-id': `probe${path.replace('/', '.')}` };
      await service.client.send({ method: 'GET', path, headers });
    }
    const probed = await until(
      async () => service.logged.filter((line) => /"reqId":"probe/.test(line)),
      (lines) => lines.length > 0,
      10_000,
    );
    expect(probed).toEqual([expect.stringContaining('"reqId":"probe.openapi.json"')]);
  });
});

describe('headers', () => {
  test('every answer carries X-Request-Id, the one of its error body', async () => {
    const { id } = await w.contact();
    const answers = [
      await w.rest.get(`/contacts/${id}`),
      await w.rest.post('/contacts', {}),
      await w.rest.delete(`/contacts/${id}`),
      await w.rest.get(`/contacts/${id}`),
      await w.rest.post('/contacts', '{'),
      await w.rest.post('/contacts', '{}', { 'content-type': 'text/plain' }),
      await w.rest.post('/contacts', 'x'.repeat(1_048_577)),
      await w.rest.send('PUT', '/contacts', {}),
      await w.rest.get('/nothing'),
      await w.restAs(undefined).get('/contacts/1'),
      await w.restAs(w.member.token).post('/users', {}),
      await service.client.send({ method: 'GET', path: '/livez' }),
      await service.client.send({ method: 'GET', path: '/readyz' }),
      await w.graphql.send('{ nonsense }'),
    ];
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[\w.:-]{1,128}$/)));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { status, headers, body } of answers) {
      if (status >= 400 && status !== 400)
        expect(body).toMatchObject({ request_id: headers['x-request-id'] });
    }
  });

  test.each(['abc-123', 'A.b:c_d', 'x'.repeat(128)])(
    'a sane incoming X-Request-Id "%s" is kept',
    async (id) => {
      const answer = await w.rest.get('/contacts/1', { 'x-request-id': id });
      expect(answer.headers['x-request-id']).toBe(id);
      expect(answer.body).toMatchObject({ request_id: id });
    },
  );

  test.each(['', 'a b', 'x'.repeat(129), '<script>', 'a"b', 'é'])(
    'an X-Request-Id "%s" is replaced',
    async (id) => {
      const answer = await w.rest.get('/contacts/1', { 'x-request-id': id });
      expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
    },
  );

  test('Cache-Control: no-store on every route that needs a token, whatever the answer', async () => {
    for (const { method, path } of routes) {
      for (const rest of [w.rest, w.restAs(undefined), w.restAs(w.member.token)]) {
        const answer = await rest.send(method, path.replace(':id', '1'));
        expect([method, path, answer.headers['cache-control']]).toEqual([method, path, 'no-store']);
      }
    }
    expect((await w.graphql.send('{ __typename }')).headers['cache-control']).toBe('no-store');
  });

  test('every answer over TLS tells browsers to come back over TLS', async () => {
    const answers = [
      await w.rest.get('/contacts/1'),
      await w.rest.post('/contacts', {}),
      await w.rest.post('/contacts', '{'),
      await w.rest.get('/nothing'),
      await w.restAs(undefined).get('/contacts/1'),
      await service.client.send({ method: 'GET', path: '/docs' }),
      await w.graphql.send('{ __typename }'),
    ];
    for (const { headers } of answers) {
      expect(headers['strict-transport-security']).toBe('max-age=31536000');
    }
  });

  test('JSON answers say so', async () => {
    const answer = await w.rest.post('/contacts', {});
    expect(answer.headers['content-type']).toMatch(/^application\/json(; charset=utf-8)?$/);
    expect((await w.rest.get('/contacts/1')).headers['content-type']).toMatch(/^application\/json/);
  });

  test('a 401 carries WWW-Authenticate: Bearer', async () => {
    const answer = await w.restAs(undefined).get('/contacts/1');
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('order of checks', () => {
  const malformed = '{"';

  test('401 before everything', async () => {
    const none = w.restAs(undefined);
    expect(await none.post('/users', malformed)).toAnswer(401, unauthorized);
    expect(await none.post('/contacts', '{}', { 'content-type': 'text/plain' })).toAnswer(
      401,
      unauthorized,
    );
    expect(await none.post('/contacts', 'x'.repeat(1_048_577))).toAnswer(401, unauthorized);
    expect(await none.get('/contacts/abc')).toAnswer(401, unauthorized);
    const path = '/api/v1/accounts/abc/contacts/abc';
    expect(await service.client.send({ method: 'GET', path })).toAnswer(401, unauthorized);
  });

  test('the account’s 404 before 403, 400, 413 and 415', async () => {
    const foreign = (await world(service)).restAs(w.member.token);
    expect(await foreign.post('/users', {})).toAnswer(404, notFound);
    expect(await foreign.post('/contacts', malformed)).toAnswer(404, notFound);
    expect(await foreign.post('/contacts', '{}', { 'content-type': 'text/plain' })).toAnswer(
      404,
      notFound,
    );
    expect(await foreign.post('/contacts', 'x'.repeat(1_048_577))).toAnswer(404, notFound);
  });

  test('403 before 400, 413, 415 and 422', async () => {
    const member = w.restAs(w.member.token);
    expect(await member.post('/users', malformed)).toAnswer(403, forbidden);
    expect(await member.post('/users', 'x'.repeat(1_048_577))).toAnswer(403, forbidden);
    expect(await member.post('/users', '{}', { 'content-type': 'text/plain' })).toAnswer(
      403,
      forbidden,
    );
    expect(await member.post('/users', {})).toAnswer(403, forbidden);
  });

  test('400, 413 and 415 before the record’s 404', async () => {
    expect(await w.rest.put('/deals/999999999', malformed)).toAnswer(400, malformedJson);
    expect(await w.rest.put('/deals/abc', '{}', { 'content-type': 'text/plain' })).toAnswer(
      415,
      unsupported,
    );
    expect(await w.rest.put('/deals/999999999', 'x'.repeat(1_048_577))).toAnswer(413, tooLarge);
  });

  test('the record’s 404 before 422', async () => {
    expect(await w.rest.put('/deals/999999999', { status: 'nope' })).toAnswer(404, notFound);
    expect(await w.rest.put('/products/999999999', { amount_in_cents: -1 })).toAnswer(
      404,
      notFound,
    );
    expect(await w.rest.put('/deal_products/999999999', { quantity: 0 })).toAnswer(404, notFound);
    expect(await w.rest.put('/deals/abc', { status: 'nope' })).toAnswer(404, notFound);
  });

  test('a body that is no object, for a record that is not there', async () => {
    const { id } = await w.deal();
    expect(await w.rest.put(`/deals/${id}`, '[]')).toAnswer(
      422,
      invalid({ body: 'must be an object' }),
    );
    expect(await w.rest.put('/deals/999999999', '[]')).toAnswer(404, notFound);
  });
});
