/** Which method and path leads where, and what is refused before that is asked. */
import { describe, expect, test } from '@jest/globals';
import { answerToBytes } from '../kit/bytes.ts';
import { filled, oneOfEach } from '../kit/one_of_each.ts';
import type { Page, Stored } from '../kit/records.ts';
import { noRoute, notAllowed, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { contactBody } from '../kit/shapes.ts';
import { shipped } from '../kit/shared.ts';
import { world } from '../kit/world.ts';

const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();
const w = await world(service);

/** Without when tokens were used last, which is noted a little later. */
const unused = (text: string) => text.replaceAll(/"last_used_at":("[^"]*"|null)/g, '');

describe('methods and paths', () => {
  test.each([
    ['PUT', '/contacts', 'POST'],
    ['GET', '/contacts', 'POST'],
    ['DELETE', '/contacts/search', 'POST, GET, HEAD'],
    ['POST', '/contacts/1', 'GET, HEAD, DELETE'],
    ['GET', '/contacts/upsert', 'POST'],
    ['POST', '/deals/1', 'GET, HEAD, PUT, PATCH'],
    ['GET', '/deal_products', 'POST'],
    ['OPTIONS', '/products', 'POST'],
    ['TRACE', '/contacts', 'POST'],
    ['PROPFIND', '/deals/1', 'GET, HEAD, PUT, PATCH'],
    ['QUERY', '/contacts/search', 'POST, GET, HEAD'],
    ['PATCH', '/users', 'POST'],
  ])('%s %s is a 405 that allows %s', async (method, path, allow) => {
    const answer = await w.rest.send(method, path);
    expect(answer).toAnswer(405, notAllowed);
    const listed = String(answer.headers.allow).split(', ').sort();
    expect(listed).toEqual(expect.arrayContaining(allow.split(', ')));
    expect(listed).not.toContain(method);
  });

  test('HEAD is a 405 without a body where there is no GET', async () => {
    const { status, headers, text } = await w.rest.send('HEAD', '/contacts');
    expect([status, headers.allow, text]).toEqual([405, 'POST', '']);
  });

  test.each([
    ['/graphql', 'POST, GET, HEAD'],
    ['/graphql/stream', 'POST'],
    ['/livez', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/openapi.json', 'GET, HEAD'],
  ])('whatever else %s is asked by is a 405 that allows %s', async (path, allow) => {
    for (const method of ['TRACE', 'PROPFIND', 'DELETE']) {
      const answer = await service.client.send({ method, path });
      expect(answer).toAnswer(405, notAllowed);
      expect([method, answer.headers.allow]).toEqual([method, allow]);
    }
  });

  test('a method that nobody has is a 404 on a path that is not there', async () => {
    for (const method of ['TRACE', 'PROPFIND']) {
      expect(await w.rest.send(method, '/nothing')).toAnswer(404, noRoute);
    }
  });

  test.each([
    '/nothing',
    '/contacts/1/2',
    '/contacts/search/1',
    '/Contacts',
    '/contact',
    '/..',
    '/%zz',
    '/contacts%2f1',
  ])('the unknown path "%s" is a 404', async (path) => {
    expect(await w.rest.get(path)).toAnswer(404, noRoute);
  });

  test.each([
    ['/api/v1/accounts/1/contact', '/api/v1/accounts/{account_id}/contacts'],
    ['/api/v1/accounts/1/deal/5', '/api/v1/accounts/{account_id}/deals/{id}'],
    ['/api/v1/accounts/1/Deals/5?x=1', '/api/v1/accounts/{account_id}/deals/{id}'],
    ['/api/accounts/1/deals/search/', '/api/v1/accounts/{account_id}/deals/search'],
    ['/api/v1/contacts/5', '/api/v1/accounts/{account_id}/contacts/{id}'],
    ['/contacts/search', '/api/v1/accounts/{account_id}/contacts/search'],
    ['/accounts/1/deals', '/api/v1/accounts/{account_id}/deals'],
    ['/grapql', '/graphql'],
    ['/wp-login.php', undefined],
    ['/api/v1/accounts/1/nothing', undefined],
  ])('the path %s has no route; the nearest is %s', async (path, meant) => {
    const { status, body } = await service.client.send({ method: 'GET', path });
    expect([status, body]).toEqual([
      404,
      {
        error: 'Resource could not be found',
        code: 'no_route',
        errors: [meant ? `No such route (did you mean ${meant}?)` : 'No such route'],
        request_id: expect.any(String),
      },
    ]);
  });

  test('a 405 says what the path has, and where records are found', async () => {
    const told = async (method: string, path: string) => {
      const { body } = await w.rest.send<{ errors: unknown }>(method, path);
      return body.errors;
    };
    expect(await told('GET', '/contacts')).toEqual([
      'This path has POST; records are found by GET or POST /api/v1/accounts/{account_id}/contacts/search',
    ]);
    expect(await told('POST', '/events/1')).toEqual([
      'This path has GET, HEAD, PUT, PATCH, DELETE',
    ]);
  });

  test.each(['/contacts/', '//contacts', '/contacts//', '///contacts///', '/contacts//upsert/'])(
    '%s is the path without the slashes that are too many',
    async (path) => {
      expect(await w.rest.post(path, { email: '' })).toAnswer(201);
    },
  );

  test.each(['/api/v1', '/api/v2/accounts/1/contacts', '/api/v1/accounts', '/ads.txt', '/.env'])(
    '%s is a 404',
    async (path) => {
      expect(await service.client.send({ method: 'GET', path })).toAnswer(404, noRoute);
    },
  );

  test('PATCH is accepted wherever PUT is, and GET wherever a search is POST', async () => {
    const ids = await oneOfEach(w);
    const note = await w.rest.post<Stored>(`/contacts/${ids.contacts}/events`, { kind: 'note' });
    const at = (path: string) => filled(path, { ...ids, events: Number(note.body.id) });
    const puts = routes.filter(({ method }) => method === 'PUT');
    expect(puts.length).toBeGreaterThan(8);
    for (const path of puts.map((route) => at(route.path))) {
      const { status, body } = await w.rest.send('PATCH', path, { nope: 1 });
      const put = await w.rest.put(path, {});
      expect([path, status, body]).toEqual([path, 200, put.body]);
    }
    const searches = routes.filter(({ body }) => body === 'search');
    expect(searches.length).toBeGreaterThan(7);
    for (const path of searches.map((route) => at(route.path))) {
      const posted = await w.rest.post(path, { query: { s: 'id desc' }, per_page: 3 });
      expect(posted).toAnswer(200);
      const got = await w.rest.get(`${path}?query[s]=id+desc&per_page=3`);
      expect(unused(got.text)).toBe(unused(posted.text));
    }
  });

  test('PATCH changes what it is sent', async () => {
    const { id } = await w.deal({ name: 'Before', custom_attributes: { kept: 1 } });
    const answer = await w.rest.send('PATCH', `/deals/${id}`, { name: 'Patched' });
    expect(answer.body).toMatchObject({ id, name: 'Patched', custom_attributes: { kept: 1 } });
  });

  test('a search by GET has its parts in the query string', async () => {
    const own = await world(service);
    for (let n = 0; n < 12; n += 1) await own.contact({ full_name: `Ana ${n}` });
    const got = await own.rest.get<Page<Stored>>(
      '/contacts/search?query[full_name_cont]=ana&page=2',
    );
    expect(got.body.pagination).toMatchObject({ page: 2, items: 2, count: 12 });
    const posted = await own.rest.post('/contacts/search', {
      query: { full_name_cont: 'ana' },
      page: 2,
    });
    expect(got.text).toBe(posted.text);
    const encoded = await own.rest.get('/contacts/search?query%5Bfull_name_cont%5D=ana&page=2');
    expect(encoded.text).toBe(posted.text);
    const listed = await own.rest.get<Page<Stored>>(
      '/contacts/search?query[full_name_in][]=Ana+1&query[full_name_in][]=Ana%202',
    );
    expect(listed.body.pagination.count).toBe(2);
  });

  test('the address does not override the body, nor set fields', async () => {
    const answer = await w.rest.post('/contacts?full_name=evil&account_id=1&id=1', { email: '' });
    expect(answer).toAnswer(201, contactBody(w.accountId));
    expect(answer.headers['x-ignored-fields']).toBe('full_name, account_id, id');
  });

  test.each([
    '0',
    '-1',
    'abc',
    '1.5',
    '9007199254740992',
    '99999999999999999999999',
    '%20',
    '1e3',
    '01',
  ])('the account %s is a 404', async (account) => {
    const answer = await service.client.send({
      method: 'POST',
      path: `/api/v1/accounts/${account}/contacts`,
      headers: { authorization: `Bearer ${w.admin.token}` },
    });
    expect(answer).toAnswer(404, notFound);
  });
});

describe('what HTTP does not allow', () => {
  test.each([
    ['400', 'no Host', '', ['Host is missing'], 'Bad request'],
    [
      '417',
      'an Expect that nobody can meet',
      'Host: x\r\nExpect: a miracle\r\n',
      ['Nothing but 100-continue can be expected'],
      'Expectation failed',
    ],
  ])('a %s for %s is an error like every other', async (status, _, lines, errors, error) => {
    const said = await answerToBytes(
      service.url,
      `GET /livez HTTP/1.1\r\nX-Request-Id: mine\r\nConnection: close\r\n${lines}\r\n`,
    );
    const [head = '', body = ''] = said.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(head.toLowerCase()).toContain('\r\nx-request-id: mine\r\n');
    const code = error.toLowerCase().replace(' ', '_');
    expect(JSON.parse(body)).toEqual({ error, code, errors, request_id: 'mine' });
  });

  test('100-continue is met, and HTTP/1.0 needs no Host', async () => {
    const ask = (lines: string) => answerToBytes(service.url, `GET /livez ${lines}\r\n\r\n`);
    const continued = 'HTTP/1.1\r\nHost: x\r\nExpect: 100-Continue\r\nConnection: close';
    expect(await ask(continued)).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
    expect(await ask('HTTP/1.0')).toMatch(/^HTTP\/1.1 200 OK\r\n/);
  });
});
