/** How much of what is answered to requests with an Idempotency-Key is stored for an account. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService({ env: { STORED_ANSWERS: '1MiB' } });
  w = await world(service);
});
afterAll(() => service.close());

const fresh = () => ({ 'idempotency-key': randomUUID() });

const message =
  "The answers to the account's requests with an Idempotency-Key have more than 1 MiB, and each is kept for 24 hours: ask for smaller answers, or send no key";

const stored = async ({ accountId }: World) => {
  const [row] = await service.database.query<{ bytes: number; rows: number }>(
    `SELECT coalesce(sum(octet_length(answer)), 0)::float AS bytes, count(*)::integer AS rows
     FROM idempotency_keys WHERE account_id = $1`,
    [accountId],
  );
  return row ?? { bytes: 0, rows: 0 };
};

/** Changes a contact by a short document whose answer has some 300 KB. */
const changing = async (of: World) => {
  const { id } = await of.contact({ custom_attributes: { note: 'x'.repeat(60_000) } });
  const often = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}:custom_attributes`).join(' ');
  const change = (name: string) =>
    `mutation{update_contact(account_id:${of.accountId},id:${id},input:{full_name:"${name}"}){${often}}}`;
  return {
    send: (name: string, key = fresh()) => of.graphql.send(change(name), {}, key),
    name: async () => (await of.rest.get<{ full_name: string }>(`/contacts/${id}`)).body.full_name,
  };
};

test('past its bytes a write with another key is a 429 and done by nobody, and all others go on', async () => {
  const { send, name } = await changing(w);
  const first = fresh();
  const answers = [await send('one', first), await send('two'), await send('three')];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  const [one, , refused] = answers;
  expect(refused?.body.errors).toEqual([
    {
      message: 'Too many requests',
      extensions: { code: 'TOO_MANY_REQUESTS', errors: [message] },
    },
  ]);
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0);
  expect(await name()).toBe('two');
  expect((await stored(w)).rows).toBe(2);
  // The database knows when there will be room again.
  const next = await send('four');
  expect(next.status).toBe(429);
  expect(Number(next.headers['retry-after'])).toBeGreaterThan(86_000);
  const again = await send('one', first);
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([
    200,
    one?.text,
    'true',
  ]);
  expect(
    (
      await w.graphql.send('mutation($a:Integer!){create_contact(account_id:$a,input:{}){id}}', {
        a: w.accountId,
      })
    ).status,
  ).toBe(200);
  const other = await changing(await world(service));
  expect((await other.send('one')).status).toBe(200);
});

test('many at once do not exceed it either', async () => {
  const of = await world(service);
  const { send } = await changing(of);
  const answers = await Promise.all(Array.from({ length: 12 }, () => send('x')));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  const { bytes, rows } = await stored(of);
  expect(rows).toBe(statuses.filter((status) => status === 200).length);
  expect(bytes).toBeLessThan(1024 * 1024);
});

test('creations, which one statement does, are refused alike once it is used up', async () => {
  const of = await world(service);
  const note = 'x'.repeat(60_000);
  const create = (key = fresh()) => of.rest.post('/contacts', { custom_attributes: { note } }, key);
  const first = fresh();
  const one = await create(first);
  const statuses: number[] = [];
  for (let n = 0; n < 20; n += 1) statuses.push((await create()).status);
  expect(statuses).toEqual([...Array(17).fill(201), 429, 429, 429]);
  const refused = await create();
  expect([refused.status, refused.body]).toMatchObject([
    429,
    { error: 'Too many requests', errors: [message] },
  ]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(86_000);
  const again = await create(first);
  expect([again.status, again.text]).toEqual([201, one.text]);
});

test('the answer to a batch is stored once, and not by its parts as well', async () => {
  const of = await world(service);
  const records = Array.from({ length: 600 }, (_, n) => ({ full_name: `Name ${n}`, email: 'no' }));
  const batch = { operation: 'create', records };
  const key = fresh();
  const { status, text } = await of.rest.post('/contacts/batch', batch, key);
  expect(status).toBe(200);
  const rows = await service.database.query<{ part: number; bytes: number }>(
    `SELECT part, octet_length(answer) AS bytes FROM idempotency_keys WHERE account_id = $1 ORDER BY part`,
    [of.accountId],
  );
  expect(rows.map(({ part, bytes }) => [part, bytes > 0])).toEqual([
    [0, true],
    [1, false],
    [2, false],
    [3, false],
  ]);
  expect((await of.rest.post('/contacts/batch', batch, key)).text).toBe(text);
});
