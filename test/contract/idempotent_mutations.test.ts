/** GraphQL mutations that come with an Idempotency-Key. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

let key: { 'idempotency-key': string };
beforeEach(() => {
  key = { 'idempotency-key': randomUUID() };
});

const called = async (name: string) => {
  const [row] = await service.database.query<{ n: number }>(
    'SELECT count(*)::integer AS n FROM contacts WHERE account_id = $1 AND full_name = $2',
    [w.accountId, name],
  );
  return row?.n;
};

const create = `mutation One($account: Integer!, $name: Text) {
  create_contact(account_id: $account, input: { full_name: $name }) { id full_name custom_attributes }
}`;

const creating = (name: string, query = create) =>
  w.graphql.send(query, { account: w.accountId, name }, key);

test('one that is sent again is not done again, and answered the same', async () => {
  const name = unique('Ana');
  const first = await creating(name);
  expect(first.body).toEqual({
    data: { create_contact: { id: expect.any(Number), full_name: name, custom_attributes: {} } },
  });
  const again = await creating(name);
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers['content-type']).toBe(first.headers['content-type']);
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(await called(name)).toBe(1);
});

test('a key that came with other variables, another document or over REST is refused', async () => {
  const name = unique('Ana');
  await creating(name);
  const { 'idempotency-key': sent } = key;
  const fields = { 'Idempotency-Key': ['was sent with another request before'] };
  for (const answer of [
    await creating(unique('other')),
    await creating(name, create.replace('id full_name', 'id')),
  ]) {
    expect(answer.status).toBe(422);
    expect(answer.body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields,
    });
  }
  const overRest = await w.rest.post('/contacts', {}, { 'idempotency-key': sent });
  expect(overRest.body).toMatchObject({ fields });
});

test('an invalid key is refused before anything is done', async () => {
  const name = unique('Ana');
  key = { 'idempotency-key': 'a b' };
  const answer = await creating(name);
  expect(answer.status).toBe(422);
  expect(answer.body.errors?.[0]?.extensions.fields).toEqual({
    'Idempotency-Key': ['must be 1 to 255 visible ASCII characters, and sent once'],
  });
  expect(await called(name)).toBe(0);
});

test('what fails in it for good is told again, beside what was done', async () => {
  const name = unique('Ana');
  const { email } = await w.contact({ email: unique('taken') });
  const send = () =>
    w.graphql.send(
      `mutation { one: create_contact(account_id: ${w.accountId}, input: { full_name: "${name}" }) { id }
        two: create_contact(account_id: ${w.accountId}, input: { email: "${email}" }) { id }
        three: create_contact(account_id: ${w.accountId}, input: { full_name: "${name}" }) { id } }`,
      {},
      key,
    );
  const first = await send();
  // What was done is done, and its id is seen.
  expect(first.body).toMatchObject({
    data: { one: { id: expect.any(Number) }, two: null },
    errors: [{ path: ['two'] }],
  });
  const done = await called(name);
  expect(done).toBeGreaterThan(0);
  const again = await send();
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  expect(await called(name)).toBe(done);
});

test('of several fields none is done when one fails for a reason that may pass', async () => {
  const name = unique('Ana');
  const { id } = await w.contact();
  const send = () =>
    w.graphql.send(
      `mutation { one: create_contact(account_id: ${w.accountId}, input: { full_name: "${name}" }) { id }
        two: update_contact(account_id: ${w.accountId}, id: ${id}, input: { full_name: "x" }) { id } }`,
      {},
      key,
    );
  const release = await service.database.hold(
    `SELECT FROM contacts WHERE account_id = ${w.accountId} AND id = ${id} FOR UPDATE`,
  );
  const first = await send();
  expect(first.body).toMatchObject({
    data: null,
    errors: [{ path: ['two'], extensions: { code: 'UNAVAILABLE' } }],
  });
  expect(await called(name)).toBe(0);
  await release();
  const second = await send();
  expect(second.body.errors).toBeUndefined();
  expect(second.headers['idempotent-replayed']).toBeUndefined();
  expect(await called(name)).toBe(1);
});

test('one whose answer is too large to be kept is refused, and nothing is written of it', async () => {
  const name = unique('Ana');
  const { id } = await w.contact({ custom_attributes: { note: 'x'.repeat(60_000) } });
  const send = (shown: string) =>
    w.graphql.send(
      `mutation { update_contact(account_id: ${w.accountId}, id: ${id}, input: { full_name: "${name}" }) { id ${shown} } }`,
      {},
      key,
    );
  const often = Array.from({ length: 20 }, (_, n) => `again_${n}: custom_attributes`);
  const refused = await send(often.join(' '));
  const fault =
    'cannot keep an answer of more than 1 MiB: ask for less of it, or send no key. Nothing was written, unless by a batch that is not atomic';
  expect([refused.status, refused.body.errors?.[0]?.extensions]).toMatchObject([
    422,
    { code: 'VALIDATION_FAILED', fields: { 'Idempotency-Key': [fault] } },
  ]);
  expect(await called(name)).toBe(0);
  // Nor was the key used by it.
  expect((await send('custom_attributes')).status).toBe(200);
  expect(await called(name)).toBe(1);
});
