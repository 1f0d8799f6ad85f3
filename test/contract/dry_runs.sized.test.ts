/** Who asks what a write would do is answered as the write is, and finds nothing done. */
import { describe, expect, test } from '@jest/globals';
import { tables } from '../../src/generated/shapes.ts';
import { sendBatch } from '../kit/batch.ts';
import { caughtUp, changes, now } from '../kit/feed.ts';
import { invalid } from '../kit/refusals.ts';
import { sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { unique, type World, world } from '../kit/world.ts';
import { alike, requestOf, routeOf, viaGraphql } from '../parity/call.ts';
import { cases } from '../parity/cases.ts';

const { isWrite } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();
const w = await world(service);

const dryRun = { prefer: 'dry-run' };
const refused = invalid({
  Prefer: 'must not be dry-run: what makes or changes a secret cannot be tried',
});

/** Every row of an account; sessions and tokens say when they were last used. */
async function stored({ accountId }: World): Promise<unknown> {
  const rows = Object.keys(tables).map(
    (table) =>
      `'${table}', (SELECT json_agg(to_jsonb(t) - 'last_used_at' ORDER BY id) FROM "${table}" AS t WHERE account_id = $1)`,
  );
  const others = `'idempotency_keys', (SELECT count(*) FROM idempotency_keys WHERE account_id = $1),
    'erasures', (SELECT count(*) FROM erasures WHERE account_id = $1)`;
  const [row] = await service.database.query<{ all: unknown }>(
    `SELECT json_build_object(${rows.join()}, ${others}) AS all`,
    [accountId],
  );
  return row?.all;
}

const secret = new Set([
  ...['create_user', 'create_token', 'delete_token', 'create_webhook', 'rotate_webhook_secret'],
]);

/** The same of two answers that name other records. */
const shapeOf = (body: unknown): string | undefined =>
  JSON.stringify(alike(body))?.replace(/"#\d+"/g, '"#"');

const writes = cases
  .filter(({ operation }) => isWrite(routeOf(operation)) && !secret.has(operation))
  .map((each) => ({ ...each, title: `${each.operation}: ${each.name}` }));

/** Headers in which the answer to a dry run equals that to the call. */
const shared = ['content-type', 'x-ignored-fields', 'www-authenticate', 'allow'] as const;

describe('the answer is that of the call made next, and nothing is stored', () => {
  test.each(sample(writes, 3, 2))('$title', async ({ operation, call, as = 'admin' }) => {
    const own = await world(service);
    const { token } = own[as];
    const built = await call(own);
    const { method, path, body } = requestOf(operation, built);
    const before = await stored(own);
    const rest = own.restAs(token);
    const headers = { ...dryRun, 'idempotency-key': 'tried' };
    const tried = await rest.send(method, path, body, headers);
    expect(tried.headers['preference-applied']).toBe('dry-run');
    const passwords = tried.status === 422 && JSON.stringify(tried.body).includes('Prefer');
    const twin = await viaGraphql(own, token, operation, built, dryRun);
    expect(await stored(own)).toEqual(before);
    if (passwords) return;
    const real = await rest.send(method, path, body);
    expect([tried.status, shapeOf(tried.body)]).toEqual([real.status, shapeOf(real.body)]);
    expect(shared.map((name) => tried.headers[name])).toEqual(
      shared.map((name) => real.headers[name]),
    );
    expect(Boolean(tried.headers.location)).toBe(Boolean(real.headers.location));
    expect(Boolean(tried.headers.etag)).toBe(Boolean(real.headers.etag));
    expect(twin.status).toBe(real.status);
    if (real.status < 400 && real.body !== undefined) {
      expect(shapeOf(twin.data)).toEqual(shapeOf(real.body));
    }
  });
});

describe('what makes or changes a secret is refused', () => {
  const made = cases.filter(
    ({ operation, name }) => secret.has(operation) && !/not there/.test(name),
  );
  test.each([...new Set(made.map(({ operation }) => operation))])('%s', async (operation) => {
    const own = await world(service);
    const first = made.find((one) => one.operation === operation && one.as === 'admin');
    const built = (await first?.call(own)) ?? {};
    const { method, path, body } = requestOf(operation, built);
    const before = await stored(own);
    const answer = await own.rest.send(method, path, body, dryRun);
    expect(answer).toAnswer(422, refused);
    expect(answer.headers['preference-applied']).toBe('dry-run');
    expect(await viaGraphql(own, own.admin.token, operation, built, dryRun)).toMatchObject({
      status: 422,
      fields: refused.fields,
    });
    expect(await stored(own)).toEqual(before);
  });

  test('a password of a user, who may be changed otherwise', async () => {
    const { id } = await w.user();
    const password = 'another horse';
    const path = `/users/${id}`;
    const sent = { password, password_confirmation: password };
    expect(await w.rest.put(path, sent, dryRun)).toAnswer(422, refused);
    expect((await w.rest.put(path, { full_name: 'Bo' }, dryRun)).body).toMatchObject({
      full_name: 'Bo',
    });
    expect((await w.rest.get(path)).body).toMatchObject({ full_name: '' });
  });

  test.each([
    'invite_user(account_id: $a, input: {email: "x@example.com"}) { link { url } }',
    'create_sign_in_link(account_id: $a, user_id: $u) { url }',
    'change_password(account_id: $a, input: {current_password: "x", password: "yyyyyyyy", password_confirmation: "yyyyyyyy"}) { role }',
    'delete_session(account_id: $a, id: 1) { id }',
  ])('%s', async (field) => {
    const query = `mutation { ${field.replace('$a', `${w.accountId}`).replace('$u', `${w.member.id}`)} }`;
    const { body } = await w.graphql.send(query, {}, dryRun);
    expect(body.errors?.[0]?.extensions.fields).toEqual(refused.fields);
  });

  test('signing in and out', async () => {
    const headers = {
      ...dryRun,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    };
    const path = '/session';
    for (const sent of [{ method: 'POST', body: '{}' }, { method: 'DELETE' }]) {
      expect(await service.client.send({ path, headers, ...sent })).toAnswer(422, refused);
    }
  });
});

test('it is asked for beside other preferences, in any letters, and with a value', async () => {
  const count = await w.count('contacts');
  for (const [prefer, applied] of [
    ['handling=strict, dry-run', 'dry-run, handling=strict'],
    ['Dry-Run', 'dry-run'],
    ['dry-run=true; x=1', 'dry-run'],
    ['replica,DRY-RUN=""', 'dry-run'],
  ] as const) {
    const answer = await w.rest.post('/contacts', { full_name: 'x' }, { prefer });
    expect([answer.status, answer.headers['preference-applied']]).toEqual([201, applied]);
  }
  expect(await w.count('contacts')).toBe(count);
  const misspelt = { prefer: 'handling=strict, dry-run' };
  expect(await w.rest.post('/contacts', { fullname: 'x' }, misspelt)).toMatchObject({
    status: 422,
    body: { fields: { fullname: ['is not a field (did you mean full_name?)'] } },
  });
});

test('a key is checked and stays free', async () => {
  const tried = { ...dryRun, 'idempotency-key': 'free' };
  expect((await w.rest.post('/contacts', { full_name: 'x' }, tried)).status).toBe(201);
  const real = { 'idempotency-key': 'free' };
  const answer = await w.rest.post('/contacts', { full_name: 'y' }, real);
  expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([201, undefined]);
  const bad = await w.rest.post('/contacts', {}, { ...dryRun, 'idempotency-key': 'ä b' });
  expect(bad.status).toBe(422);
});

test('If-Match, uniqueness and references are checked', async () => {
  const email = unique('taken');
  const taken = await w.contact({ email });
  const other = await w.contact();
  const path = `/contacts/${other.id}`;
  expect(await w.rest.put(path, { email }, dryRun)).toAnswer(
    422,
    invalid({ email: 'has already been taken' }, { contact_id: taken.id }),
  );
  const stale = { ...dryRun, 'if-match': '"1"' };
  expect((await w.rest.put(path, { full_name: 'x' }, stale)).status).toBe(412);
  const deal = { contact_id: other.id, stage_id: 999_999_999 };
  expect(await w.rest.post('/deals', deal, dryRun)).toAnswer(
    422,
    invalid({ stage_id: 'must exist' }),
  );
});

test('the feed and webhooks stay silent', async () => {
  const own = await world(service);
  await own.webhook();
  const contact = await own.contact();
  await caughtUp(own);
  const after = await now(own.rest);
  await own.rest.delete(`/contacts/${contact.id}`, dryRun);
  await sendBatch(own.rest, 'contacts', 'create', [{}, {}], { headers: dryRun });
  await caughtUp(own);
  expect((await changes(own.rest, { after })).data).toEqual([]);
});

test('a document of several mutations has each see what those before it did', async () => {
  const document = `mutation($a: Integer!) {
    first: create_contact(account_id: $a, input: {email: "first@example.com"}) { id email }
    second: upsert_contact(account_id: $a, input: {email: "first@example.com", full_name: "Bo"}) { created contact { full_name } }
    third: create_contact(account_id: $a, input: {email: "first@example.com"}) { id }
  }`;
  const own = await world(service);
  const before = await stored(own);
  for (let sent = 0; sent < 3; sent += 1) {
    const { status, headers, body } = await own.graphql.send(
      document,
      { a: own.accountId },
      dryRun,
    );
    expect([status, headers['preference-applied']]).toEqual([200, 'dry-run']);
    expect(body.data).toEqual({
      first: { id: expect.any(Number), email: 'first@example.com' },
      second: { created: false, contact: { full_name: 'Bo' } },
      third: null,
    });
    expect(body.errors?.[0]?.extensions.fields).toEqual({ email: ['has already been taken'] });
  }
  expect(await stored(own)).toEqual(before);
});

test('a mutation that was sent before is tried all the same, and reads are as ever', async () => {
  const mutation = `mutation { create_contact(account_id: ${w.accountId}, input: {full_name: "x"}) { id } }`;
  const count = await w.count('contacts');
  for (let sent = 0; sent < 3; sent += 1) {
    expect((await w.graphql.send(mutation)).status).toBe(200);
    expect((await w.graphql.send(mutation, {}, dryRun)).body.data).toBeDefined();
  }
  expect(await w.count('contacts')).toBe(count + 3);
  const query = `{ contacts(account_id: ${w.accountId}) { data { id } } }`;
  const read = await w.graphql.send(query, {}, dryRun);
  expect([read.status, read.headers['preference-applied']]).toEqual([200, undefined]);
  expect((await w.rest.get('/contacts/search', dryRun)).status).toBe(200);
  expect((await w.rest.post('/contacts/search', {}, dryRun)).status).toBe(200);
});

test('an erasure is tried without one', async () => {
  const own = await world(service);
  const deal = await own.deal({ name: 'x' });
  const before = await stored(own);
  const document =
    'mutation($a: Integer!, $i: Integer!) { erase_contact(account_id: $a, id: $i) { id done } }';
  const { body } = await own.graphql.send(
    document,
    { a: own.accountId, i: deal.contact_id },
    dryRun,
  );
  expect(body.data).toEqual({ erase_contact: { id: deal.contact_id, done: true } });
  expect(await stored(own)).toEqual(before);
});
