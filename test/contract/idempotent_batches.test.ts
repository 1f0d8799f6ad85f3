/** Batches that come with an Idempotency-Key go on after the last part that was done. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

interface Batch {
  readonly results: readonly { readonly index: number; readonly status: number }[];
  readonly summary: Readonly<Record<string, number>>;
}

const count = async (table: string, condition: string) => {
  const [row] = await service.database.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM ${table} WHERE account_id = $1 AND ${condition}`,
    [w.accountId],
  );
  return row?.n;
};

test('a batch whose end was not reached goes on after its parts, with one answer', async () => {
  const records = Array.from({ length: 600 }, (_, at) => ({
    full_name: `Kept ${at}`,
    // Every tenth is refused.
    email: at % 10 === 0 ? 'none' : `kept${at}@example.com`,
  }));
  const key = { 'idempotency-key': randomUUID() };
  const send = () => w.rest.post<Batch>('/contacts/batch', { operation: 'create', records }, key);
  const letGo = await service.database.hold(
    `INSERT INTO contacts (account_id, full_name, email) VALUES ($1, 'x', 'kept501@example.com')`,
    [w.accountId],
  );
  expect(await send()).toMatchObject({ status: 503 });
  await letGo();
  expect(await count('idempotency_keys', 'part > 0')).toBe(2);
  expect(await count('contacts', `full_name LIKE 'Kept %'`)).toBe(450);
  const again = await send();
  expect(again.status).toBe(200);
  expect(again.headers).not.toHaveProperty('idempotent-replayed');
  expect(again.body.results.map(({ index, status }) => [index, status])).toEqual(
    records.map((_, at) => [at, at % 10 === 0 ? 422 : 201]),
  );
  expect(again.body.summary).toEqual({ created: 540, updated: 0, deleted: 0, failed: 60 });
  expect(await count('contacts', `full_name LIKE 'Kept %'`)).toBe(540);
  const third = await send();
  expect(third.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect(third.text).toBe(again.text);
});

test('a batch that is stopped on the way goes on when it is sent again', async () => {
  const created = await w.rest.post<{ results: { id: number }[] }>('/contacts/batch', {
    operation: 'create',
    records: Array.from({ length: 600 }, (_, at) => ({ full_name: `Stopped ${at}` })),
  });
  const ids = created.body.results.map(({ id }) => id);
  const records = ids.map((id) => ({ id, full_name: 'Gone on' }));
  const key = { 'idempotency-key': randomUUID() };
  const send = () => w.rest.post<Batch>('/contacts/batch', { operation: 'update', records }, key);
  const letGo = await service.database.hold(
    'SELECT FROM contacts WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, ids[300]],
  );
  expect(await send()).toMatchObject({ status: 503, body: { error: 'Service unavailable' } });
  expect(await count('contacts', `full_name = 'Gone on'`)).toBe(250);
  await letGo();
  expect((await send()).body.summary).toEqual({ created: 0, updated: 600, deleted: 0, failed: 0 });
  expect(await count('contacts', `full_name = 'Gone on'`)).toBe(600);
});

test('the key of a batch is forgotten after 24 hours, and can be used again', async () => {
  const key = { 'idempotency-key': randomUUID() };
  const send = (name: string) =>
    w.rest.post<Batch>(
      '/contacts/batch',
      { operation: 'create', records: Array.from({ length: 300 }, () => ({ full_name: name })) },
      key,
    );
  expect(await send('First day')).toMatchObject({ status: 200 });
  await service.database.query(
    `UPDATE idempotency_keys SET created_at = now() - interval '24 h' WHERE account_id = $1`,
    [w.accountId],
  );
  const second = await send('Second day');
  expect(second.body.summary).toEqual({ created: 300, updated: 0, deleted: 0, failed: 0 });
  expect((await send('Second day')).text).toBe(second.text);
  expect(await count('contacts', `full_name = 'Second day'`)).toBe(300);
});

test('of the same batch sent several times at once each part is done once', async () => {
  const records = Array.from({ length: 400 }, (_, at) => ({ full_name: `Once ${at}` }));
  const key = { 'idempotency-key': randomUUID() };
  const send = () => w.rest.post<Batch>('/contacts/batch', { operation: 'create', records }, key);
  const answers = await Promise.all(Array.from({ length: 5 }, send));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(await count('contacts', `full_name LIKE 'Once %'`)).toBe(400);
});

const several = async (fields: string, key = { 'idempotency-key': randomUUID() }) => {
  const { body, headers } = await w.graphql.send<Record<string, Batch>>(
    `mutation { ${fields} }`,
    {},
    key,
  );
  expect(body.errors).toBeUndefined();
  return { data: body.data, headers, key };
};

const batch = (name: string, operation: string, records: string) =>
  `${name}(account_id: ${w.accountId}, operation: "${operation}", records: [${records}]) { results { index status id } }`;

test('batches of one document with a key are each done, and once', async () => {
  const fields = [
    batch('one: batch_products', 'create', '{name: "Each 1"}, {name: "Each 2"}'),
    batch(
      'two: batch_contacts',
      'create',
      '{full_name: "Each 1"}, {full_name: "Each 2"}, {full_name: "Each 3"}',
    ),
  ].join(' ');
  const { data, key } = await several(fields);
  const idsIn = async (table: string, column: string) =>
    (
      await service.database.query<{ id: number }>(
        `SELECT id FROM ${table} WHERE account_id = $1 AND ${column} LIKE 'Each %' ORDER BY id`,
        [w.accountId],
      )
    ).map(({ id }, index) => ({ index, status: 201, id: Number(id) }));
  const products = await idsIn('products', 'name');
  const contacts = await idsIn('contacts', 'full_name');
  expect([products.length, contacts.length]).toEqual([2, 3]);
  expect(data).toEqual({ one: { results: products }, two: { results: contacts } });
  const again = await several(fields, key);
  expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true' });
  expect(again.data).toEqual(data);
  expect(await idsIn('contacts', 'full_name')).toEqual(contacts);
});

test('a batch changes what other fields of its document with a key have written', async () => {
  const { id } = await w.product({ name: 'First' });
  const done = { results: [{ index: 0, status: 200, id }] };
  const { data } = await several(
    `${batch('a: batch_products', 'update', `{id: ${id}, name: "Second"}`)}
    b: update_product(account_id: ${w.accountId}, id: ${id}, input: {name: "Third"}) { name }
    ${batch('c: batch_products', 'update', `{id: ${id}, name: "Fourth"}`)}`,
  );
  expect(data).toEqual({ a: done, b: { name: 'Third' }, c: done });
  expect(await count('products', `id = ${id} AND name = 'Fourth'`)).toBe(1);
  expect(await count('audit_entries', `record_id = ${id} AND action = 'product.update'`)).toBe(3);
});

test('of a document with a key nothing stays when one of its batches cannot be finished', async () => {
  const { id } = await w.product({ name: 'Held' });
  const fields = [
    batch('one: batch_contacts', 'create', '{full_name: "Not alone"}'),
    batch('two: batch_products', 'update', `{id: ${id}, name: "Free"}`),
  ].join(' ');
  const key = { 'idempotency-key': randomUUID() };
  const letGo = await service.database.hold(
    'SELECT FROM products WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, id],
  );
  const refused = await w.graphql.send(`mutation { ${fields} }`, {}, key);
  expect(refused.body).toMatchObject({
    data: null,
    errors: [{ path: ['two'], extensions: { code: 'UNAVAILABLE' } }],
  });
  await letGo();
  expect(await count('contacts', `full_name = 'Not alone'`)).toBe(0);
  const { headers } = await several(fields, key);
  expect(headers).not.toHaveProperty('idempotent-replayed');
  expect(await count('contacts', `full_name = 'Not alone'`)).toBe(1);
  expect(await count('products', `name = 'Free'`)).toBe(1);
});
