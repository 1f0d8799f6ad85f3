/** What is left of stored answers that show an erased contact. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const keyed = <T>(send: (key: { 'idempotency-key': string }) => Promise<T>) => {
  const key = { 'idempotency-key': randomUUID() };
  return () => send(key);
};

const gone = {
  error: 'Gone',
  code: 'gone',
  errors: [
    'The request was answered before, and the answer told of a person who was to be forgotten since',
  ],
  request_id: expect.any(String),
};

test('an erasure takes the answers that tell of the contact, and no others', async () => {
  const { id } = await w.contact({ full_name: 'Ana' });
  const deal = await w.deal({ contact_id: id });
  const other = await w.contact({ full_name: 'Bia' });
  const graphql = (document: string) =>
    keyed((key) => w.graphql.send(`mutation { ${document} }`, {}, key));
  const account = `account_id: ${w.accountId}`;
  const telling = [
    keyed((key) => w.rest.put(`/contacts/${id}`, { full_name: 'Ana B' }, key)),
    keyed((key) => w.rest.post(`/contacts/${id}/events`, { kind: 'note', content: 'x' }, key)),
    keyed((key) => w.rest.post(`/deals/${deal.id}/events`, { kind: 'note', content: 'x' }, key)),
    keyed((key) => w.rest.put(`/deals/${deal.id}`, { name: 'Of Ana' }, key)),
    keyed((key) => w.rest.put(`/deals/${deal.id}?fields=name`, { name: 'Ana’s' }, key)),
    graphql(
      `update_stage(${account}, id: ${w.stageIds[0]}, input: { name: "New" }) { deals { contact { n: full_name i: id } } }`,
    ),
    graphql(
      `update_stage(${account}, id: ${w.stageIds[0]}, input: { name: "New" }) { deals { id contact { full_name } } }`,
    ),
  ];
  const silent = [
    keyed((key) => w.rest.put(`/contacts/${other.id}`, { full_name: 'Bia B' }, key)),
    keyed((key) => w.rest.post('/contacts', { email: 'none' }, key)),
    keyed((key) => w.rest.post('/products', { name: 'Chair' }, key)),
    graphql(`update_stage(${account}, id: ${w.stageIds[0]}, input: { name: "New" }) { name }`),
  ];
  const all = (sends: readonly (() => Promise<Answer>)[]) =>
    Promise.all(sends.map((send) => send()));
  const first = await all(silent);
  for (const { status } of await all(telling)) expect([200, 201]).toContain(status);
  for (const answer of await all(telling)) {
    expect(answer.headers['idempotent-replayed']).toBe('true');
  }
  await w.graphql.data(`mutation { erase_contact(${account}, id: ${id}) { id } }`);
  for (const answer of await all(telling)) {
    expect(answer.status).toBe(410);
    if (answer.asked.path !== '/graphql') expect(answer).toAnswer(410, gone);
    else expect(answer.body).toMatchObject({ errors: [{ extensions: { code: 'GONE' } }] });
  }
  expect((await all(silent)).map(({ text }) => text)).toEqual(first.map(({ text }) => text));
  expect((await w.rest.get(`/contacts/${other.id}`)).status).toBe(200);
});

test('an erasure takes the answer to the creation, too', async () => {
  const create = keyed((key) =>
    w.rest.post<{ id: number }>('/contacts', { full_name: 'Eva' }, key),
  );
  const { id } = (await create()).body;
  await w.graphql.data(`mutation { erase_contact(account_id: ${w.accountId}, id: ${id}) { id } }`);
  expect(await create()).toAnswer(410, gone);
  const rows = await service.database.query(
    "SELECT FROM idempotency_keys WHERE account_id = $1 AND answer LIKE '%Eva%'",
    [w.accountId],
  );
  expect(rows).toEqual([]);
});

test('an erasure is done once itself', async () => {
  const { id } = await w.contact({ full_name: 'Ana' });
  const erase = keyed((key) =>
    w.graphql.send(
      `mutation { erase_contact(account_id: ${w.accountId}, id: ${id}) { id entries } }`,
      {},
      key,
    ),
  );
  const first = await erase();
  expect(first.body).toEqual({ data: { erase_contact: { id, entries: 2 } } });
  const again = await erase();
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  const entries = await service.database.query(
    `SELECT id FROM audit_entries WHERE action = 'contact.erase' AND record_id = $1`,
    [id],
  );
  expect(entries).toHaveLength(1);
});
