/** Who asks what a write would do must not find it done. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isWrite, routes } from '../../src/rest/routes.ts';
import { invalid } from '../kit/refusals.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

const dryRun = { prefer: 'dry-run' };
const refused = invalid({
  Prefer: 'must not be dry-run, which is not supported: nothing was written',
});

test.each(routes.filter(isWrite).map(({ method, path }) => `${method} ${path}`))(
  '%s is refused with Prefer: dry-run, and nothing is written',
  async (route) => {
    const [method = '', path = ''] = route.split(' ');
    const before = service.statements.length;
    const answer = await w.rest.send(method, path.replaceAll(/:\w+/g, '1'), { x: 1 }, dryRun);
    expect(answer).toAnswer(422, refused);
    expect(
      service.statements.slice(before).filter((text) => /INSERT|DELETE|UPDATE/.test(text)),
    ).toEqual([]);
  },
);

test('so it is beside other preferences, in any letters, with a value, and with a key', async () => {
  for (const prefer of [
    'handling=strict, dry-run',
    'Dry-Run',
    'dry-run=true; x=1',
    'replica,DRY-RUN=""',
  ]) {
    const headers = { prefer, 'idempotency-key': 'a-key' };
    expect(await w.rest.post('/contacts', { full_name: 'x' }, headers)).toAnswer(422, refused);
  }
  expect(
    await w.rest.post('/contacts', { full_name: 'x' }, { 'idempotency-key': 'a-key' }),
  ).toAnswer(201);
});

test('signing in and out are refused with it', async () => {
  const own = { ...dryRun, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  for (const method of ['POST', 'DELETE']) {
    const sent = {
      method,
      path: '/session',
      headers: own,
      ...(method === 'POST' && { body: '{}' }),
    };
    expect(await service.client.send(sent)).toAnswer(422, refused);
  }
});

test('a mutation is refused with it each time it is sent, and reads ignore it', async () => {
  const mutation = `mutation { create_contact(account_id: ${w.accountId}, input: {full_name: "x"}) { id } }`;
  const count = await w.count('contacts');
  for (const headers of [dryRun, dryRun, { ...dryRun, 'idempotency-key': 'another' }, dryRun]) {
    const { status, body } = await w.graphql.send(mutation, {}, headers);
    expect([status, body?.data, body?.errors?.[0]?.extensions]).toMatchObject([
      422,
      undefined,
      { code: 'VALIDATION_FAILED', fields: refused.fields },
    ]);
  }
  expect(await w.count('contacts')).toBe(count);
  for (let sent = 0; sent < 3; sent++) expect((await w.graphql.send(mutation)).status).toBe(200);
  expect((await w.graphql.send(mutation, {}, dryRun)).status).toBe(422);
  expect(await w.count('contacts')).toBe(count + 3);
  const query = `{ contacts(account_id: ${w.accountId}) { data { id } } }`;
  expect((await w.graphql.send(query, {}, dryRun)).body?.data).toBeDefined();
  expect((await w.rest.get('/contacts/search', dryRun)).status).toBe(200);
  expect((await w.rest.post('/contacts/search', {}, dryRun)).status).toBe(200);
});
