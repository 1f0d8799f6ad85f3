/** Error bodies as problem details (RFC 9457). */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const accept = { accept: 'application/problem+json' };

test('have the members of the plain body beside their own', async () => {
  const { status, headers, body } = await w.rest.post<object>(
    '/contacts',
    { email: 'x' },
    { ...accept, 'x-request-id': 'mine' },
  );
  expect(status).toBe(422);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(headers.vary).toContain('accept');
  expect(body).toEqual({
    type: `${service.url}/docs/errors#validation_failed`,
    title: 'Validation failed',
    status: 422,
    detail: 'Email is invalid',
    instance: 'mine',
    error: 'Validation failed',
    code: 'validation_failed',
    errors: ['Email is invalid'],
    fields: { email: ['is invalid'] },
    codes: { email: ['invalid'] },
    request_id: 'mine',
  });
});

test.each([
  ['401', '/contacts/1', undefined, 'unauthorized'],
  ['404', '/contacts/1', 'token', 'not_found'],
  ['404', '/nothing', 'token', 'no_route'],
])('come with a %s, too', async (status, path, token, code) => {
  const rest = w.restAs(token && w.admin.token);
  const answer = await rest.get<object>(path, {
    accept: 'text/html, Application/Problem+JSON;q=0.5',
  });
  expect(answer.status).toBe(Number(status));
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.body).toMatchObject({ status: Number(status), code });
});

test.each(['application/json', '*/*', 'application/problem+json;q=0', 'application/problem+xml'])(
  'do not come where Accept is %s',
  async (wanted) => {
    const { headers, body } = await w.rest.get<object>('/contacts/1', { accept: wanted });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(body).not.toHaveProperty('type');
  },
);

test('are what a client gets that repeats a refused request, in either form', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const plain = await w.rest.post<object>('/contacts', { email: 'x' }, key);
  const again = await w.rest.post<object>('/contacts', { email: 'x' }, { ...key, ...accept });
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(again.body).toMatchObject({ ...plain.body, status: 422 });
});

test('leave answers that are no errors alone', async () => {
  const { status, headers } = await w.rest.post('/contacts', {}, accept);
  expect([status, headers['content-type']]).toEqual([201, 'application/json; charset=utf-8']);
});
