import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import type { ErrorBody } from '../kit/records.ts';
import { sharedService, startService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
let refusals: Record<string, Answer<ErrorBody>>;
beforeAll(async () => {
  const { rest } = w;
  refusals = {
    400: await rest.post<ErrorBody>('/contacts', '{'),
    401: await w.restAs(undefined).get<ErrorBody>('/contacts/1'),
    403: await w.restAs(w.member.token).post<ErrorBody>('/users', {}),
    404: await rest.get<ErrorBody>('/contacts/1'),
    405: await rest.send<ErrorBody>('PUT', '/contacts', {}),
    413: await rest.post<ErrorBody>('/contacts', 'x'.repeat(1_048_577)),
    415: await rest.post<ErrorBody>('/contacts', 'x', { 'content-type': 'text/plain' }),
    422: await rest.post<ErrorBody>('/contacts', { email: 'x' }),
    '422 of a search': await rest.post<ErrorBody>('/contacts/search', { query: { x_eq: 1 } }),
    '404 of a path': await rest.get<ErrorBody>('/nothing'),
  };
});

describe('every refusal has one shape', () => {
  test.each([
    '400',
    '401',
    '403',
    '404',
    '405',
    '413',
    '415',
    '422',
    '422 of a search',
    '404 of a path',
  ])('%s', (name) => {
    const answer = refusals[name];
    if (!answer) throw new Error(name);
    const { body } = answer;
    expect(answer.status).toBe(Number(name.slice(0, 3)));
    const fields = answer.status === 422 ? ['fields', 'codes'] : [];
    expect(Object.keys(body).sort()).toEqual(
      ['error', 'code', 'errors', ...fields, 'request_id'].sort(),
    );
    expect(body.error).toMatch(/^[A-Z][a-z ]+$/);
    expect(body.errors.length).toBeGreaterThan(0);
    for (const line of body.errors) expect(line).toMatch(/\S/);
    expect(body.request_id).toBe(answer.headers['x-request-id']);
    for (const messages of Object.values(body.fields ?? {})) {
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) expect(message).toEqual(expect.any(String));
    }
  });
});

test('the summaries', () => {
  const told = Object.fromEntries(
    Object.entries(refusals).map(([name, { body }]) => [name, body.error]),
  );
  expect(told).toMatchObject({
    401: 'Unauthorized',
    403: 'Forbidden',
    404: 'Resource could not be found',
    '404 of a path': 'Resource could not be found',
    422: 'Validation failed',
    '422 of a search': 'Invalid search parameters',
  });
});

describe('messages', () => {
  const fieldsOf = async (answer: Promise<Answer<ErrorBody>>) => (await answer).body.fields ?? {};

  test("can't be blank", async () => {
    expect((await fieldsOf(w.rest.post('/users', {}))).email).toEqual(["can't be blank"]);
  });
  test('is invalid', async () => {
    expect((await fieldsOf(w.rest.post('/contacts', { email: 'x' }))).email).toEqual([
      'is invalid',
    ]);
  });
  test('has already been taken', async () => {
    await w.contact({ email: 'taken@example.com' });
    const fields = await fieldsOf(w.rest.post('/contacts', { email: 'taken@example.com' }));
    expect(fields.email).toEqual(['has already been taken']);
  });
  test('must exist', async () => {
    expect((await fieldsOf(w.rest.post('/deals', {}))).stage_id).toEqual(['must exist']);
  });
  test("doesn't match Password", async () => {
    const sent = { email: 'a@example.com', password: 'abcdef', password_confirmation: 'abcdeg' };
    const fields = await fieldsOf(w.rest.post('/users', sent));
    expect(fields).toEqual({ password_confirmation: ["doesn't match Password"] });
  });
  test('is too short (minimum is 6 characters)', async () => {
    const sent = { email: 'a@example.com', password: 'abc', password_confirmation: 'abc' };
    const fields = await fieldsOf(w.rest.post('/users', sent));
    expect(fields).toEqual({ password: ['is too short (minimum is 6 characters)'] });
  });
  test('must be greater than or equal to N', async () => {
    const { id } = await w.dealProduct();
    expect(await fieldsOf(w.rest.put(`/deal_products/${id}`, { quantity: 0 }))).toEqual({
      quantity: ['must be greater than or equal to 1'],
    });
    expect(await fieldsOf(w.rest.post('/products', { amount_in_cents: -5 }))).toEqual({
      amount_in_cents: ['must be greater than or equal to 0'],
    });
  });
  test('is not included in the list, which it tells', async () => {
    const { id } = await w.deal();
    expect(await fieldsOf(w.rest.put(`/deals/${id}`, { status: 'x' }))).toEqual({
      status: ['is not included in the list (open, won, lost)'],
    });
  });
});

test('the sentences name their fields in words', async () => {
  const { body } = await w.rest.post<ErrorBody>('/deals', { status: 'x' });
  expect([...body.errors].sort()).toEqual([
    'Contact must exist',
    'Stage must exist',
    'Status is not included in the list (open, won, lost)',
  ]);
  const user = await w.rest.post<ErrorBody>('/users', {
    email: 'a@example.com',
    password: 'abcdef',
    password_confirmation: 'x',
  });
  expect(user.body.errors).toEqual(["Password confirmation doesn't match Password"]);
  const nested = await w.rest.post<ErrorBody>('/deals/upsert', {
    stage_id: w.stageIds[0],
    contact_attributes: { email: 'x' },
  });
  expect(nested.body.fields).toEqual({ 'contact_attributes.email': ['is invalid'] });
  expect(nested.body.errors).toEqual([expect.stringMatching(/email is invalid$/i)]);
});

test('GraphQL tells the same faults with a code', async () => {
  const codeOf = async (token: string | undefined, query: string) => {
    const { body } = await w.graphqlAs(token).send(query);
    return body.errors?.[0]?.extensions.code;
  };
  const account = `account_id: ${w.accountId}`;
  const { token } = w.admin;
  expect(await codeOf(undefined, '{ __typename }')).toBe('UNAUTHENTICATED');
  expect(
    await codeOf(w.member.token, `mutation { create_user(${account}, input: {}) { id } }`),
  ).toBe('FORBIDDEN');
  expect(await codeOf(token, `{ contact(${account}, id: 1) { id } }`)).toBe('NOT_FOUND');
  expect(await codeOf(token, '{ contact(account_id: 1, id: 1) { id } }')).toBe('NOT_FOUND');
  expect(
    await codeOf(token, `mutation { create_contact(${account}, input: {email: "x"}) { id } }`),
  ).toBe('VALIDATION_FAILED');
  expect(await codeOf(token, `{ contacts(${account}, query: {x_eq: 1}) { data { id } } }`)).toBe(
    'INVALID_SEARCH',
  );
});

test('a fault of ours says nothing of itself; the log tells it under the same request id', async () => {
  const own = await startService();
  try {
    const there = await world(own);
    await own.database.query('ALTER TABLE products RENAME COLUMN description TO secret_column');
    const answer = await there.rest.post<ErrorBody>('/products', { name: 'x' });
    expect(answer).toAnswer(500, {
      error: 'Internal server error',
      code: 'internal',
      errors: ['Internal server error'],
      request_id: answer.headers['x-request-id'],
    });
    const logged = own.logged.find(
      (line) => line.includes(answer.body.request_id) && line.includes('"error"'),
    );
    expect(logged).toMatch(/description/);
    own.logged.length = 0;
    const { body, text, headers } = await there.graphql.send(
      `mutation { create_product(account_id: ${there.accountId}, input: {name: "x"}) { id } }`,
    );
    expect(body.errors?.[0]).toMatchObject({
      message: 'Internal server error',
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    });
    expect(text).not.toMatch(/description|INSERT|secret_column|stack|\.ts|\/src\//);
    const lines = own.logged.filter(
      (line) => line.includes(`"reqId":"${headers['x-request-id']}"`) && !line.includes('"debug"'),
    );
    expect(lines).toEqual([expect.stringMatching(/"error".*description/)]);
  } finally {
    await own.close();
  }
});
