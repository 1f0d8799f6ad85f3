/** The feed of changes: what it reports, to whom, and from where to go on. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { renewIncarnation } from '../../src/db/migrations/incarnation.ts';
import { askChanges, type Change, caughtUp, changes, now, read } from '../kit/feed.ts';
import { forbidden, invalid, invalidSearchOf, lacking } from '../kit/refusals.ts';
import type { Rest } from '../kit/rest.ts';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { pg } from '../kit/shared.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** What the account's trail holds of a kind of record, as the feed should report it. */
const trail = (type: string) =>
  service.database.query(
    `SELECT created_at AS at, split_part(action, '.', 2) AS action, record_type, record_id, before, after,
       user_id, token_id, request_id
     FROM audit_entries WHERE account_id = $1 AND record_type = $2 ORDER BY id`,
    [w.accountId, type],
  );

test('a record’s creation, changes and removal are told whole and in their order', async () => {
  const after = await now(w.rest);
  const contact = await w.contact({ full_name: 'Ana', custom_attributes: { z: 1, a: [] } });
  await w.rest.put(`/contacts/${contact.id}`, { full_name: 'Ana Lima' });
  await w.rest.delete(`/contacts/${contact.id}`);
  const { data, next } = await read(w.rest, after, 3);
  expect(data.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  const written = (await trail('contact')).filter(({ record_id }) => record_id === contact.id);
  expect(data).toEqual(
    written.map((entry) => ({ ...entry, at: entry.at.toISOString(), cursor: expect.any(String) })),
  );
  expect(data.at(-1)?.cursor).toBe(next);
  expect(await changes(w.rest, { after: next })).toEqual({ data: [], next, more: false });
});

test('numbers, their digits and the order of keys come as they were sent', async () => {
  const after = await now(w.rest);
  const attributes = '{"z":1e400,"a":12345678901234567890.10,"10":1,"9":-0}';
  await w.rest.post('/contacts', `{"custom_attributes":${attributes}}`);
  await read(w.rest, after, 1);
  const { text } = await askChanges(w.rest, { after });
  expect(text).toContain(`"custom_attributes":${attributes}`);
});

test('pages of any size tell the same', async () => {
  const after = await now(w.rest);
  const contacts = await Promise.all(Array.from({ length: 7 }, () => w.contact()));
  const { data } = await read(w.rest, after, contacts.length);
  for (const limit of [1, 2, 3, 7, 1000]) {
    const told: Change[] = [];
    for (let next = after, more = true; more; ) {
      const page = await changes(w.rest, { after: next, limit });
      expect(page.data.length).toBeLessThanOrEqual(limit);
      told.push(...page.data);
      ({ next, more } = page);
    }
    expect(told).toEqual(data);
    for (const [at, { cursor }] of data.entries()) {
      const [following] = (await changes(w.rest, { after: cursor, limit: 1 })).data;
      expect(following).toEqual(data[at + 1]);
    }
  }
});

test('records choose what is told, and what proves who somebody is is told to nobody', async () => {
  const after = await now(w.rest);
  await w.rest.post('/tokens', { name: 'Not told' });
  const product = await w.product();
  const deal = await w.deal();
  await caughtUp(w);
  const all = await read(w.rest, after, 3);
  const types = all.data.map(({ record_type }) => record_type);
  expect(types).toEqual(expect.arrayContaining(['product', 'contact', 'deal']));
  expect(types).not.toContain('token');
  const some = await read(w.rest, after, 2, { records: 'products, deals' });
  expect(some.data.map((one) => [one.record_type, one.record_id])).toEqual([
    ['product', product.id],
    ['deal', deal.id],
  ]);
  const none = await changes(w.rest, { after, records: 'pipelines' });
  expect(none).toEqual({ data: [], next: all.next, more: false });
});

test('where little of much is wanted a page ends early, and says that there may be more', async () => {
  const other = await world(service);
  const after = await now(other.rest);
  await service.database.query(
    `INSERT INTO audit_entries (account_id, action, record_type, record_id)
     SELECT $1, CASE n WHEN 10001 THEN 'stage.update' ELSE 'contact.update' END, 'contact', n
     FROM generate_series(1, 10001) AS n`,
    [other.accountId],
  );
  await caughtUp(other);
  const first = await changes(other.rest, { after, records: 'stages' });
  expect(first).toMatchObject({ data: [], more: true });
  const second = await changes(other.rest, { after: first.next, records: 'stages' });
  expect(second).toMatchObject({ data: [{ record_id: 10_001 }], more: false });
});

test('a page holds a mebibyte of what changed, and one change at least', async () => {
  const other = await world(service);
  const after = await now(other.rest);
  await service.database.query(
    `INSERT INTO audit_entries (account_id, action, record_type, record_id, after)
     SELECT $1, 'contact.update', 'contact', n, json_build_object('x', repeat('x', bytes))
     FROM unnest(ARRAY[600000, 500000, 3000000, 1]) WITH ORDINALITY AS sizes(bytes, n)`,
    [other.accountId],
  );
  await caughtUp(other);
  const told: number[][] = [];
  for (let next = after, more = true; more; ) {
    const page = await changes(other.rest, { after: next });
    told.push(page.data.map(({ record_id }) => record_id));
    ({ next, more } = page);
  }
  expect(told).toEqual([[1, 2], [3], [4]]);
});

test('only admins follow changes, with a token that may read all that is told', async () => {
  expect(await askChanges(w.restAs(w.member.token))).toAnswer(403, forbidden);
  const scoped = new Scoped(w);
  expect(await askChanges(await scoped.rest('contacts:read'))).toAnswer(403, lacking('audit:read'));
  const lacked = lacking('contacts:read', 'deals:read');
  const given = { records: 'contacts,deals,deal_products,products' };
  expect(await askChanges(await scoped.rest('audit:read', 'products:read'), given)).toAnswer(
    403,
    lacked,
  );
  const rest = await scoped.rest('audit:read', 'products:read');
  expect((await askChanges(rest, { records: 'products' })).status).toBe(200);
  expect((await askChanges(await scoped.rest('read'))).status).toBe(200);
});

test('what cannot be read is refused by its name, and so is a cursor that was never one', async () => {
  const asked = askChanges(w.rest, { limit: 1001, wait: 26, records: 'contact', after: 'x' });
  expect(await asked).toAnswer(
    422,
    invalid({
      records: '"contact" cannot be followed (did you mean contacts?)',
      limit: 'must be less than or equal to 1000',
      wait: 'must be less than or equal to 25',
      after: 'is not a cursor: send one unchanged, or now',
    }),
  );
  const bare = await now(w.rest);
  for (const after of [bare.slice(1), `${bare}=`, randomUUID()]) {
    expect((await askChanges(w.rest, { after })).status).toBe(422);
  }
});

const gone = {
  error: 'Gone',
  code: 'gone',
  errors: [expect.stringContaining('begin again')],
  request_id: expect.any(String),
};

test('a cursor whose change is not there is gone: pruned, of another account, or lost in a failover', async () => {
  const other = await world(service);
  await w.contact();
  const [first] = (await changes(w.rest, { limit: 1 })).data;
  const after = first?.cursor ?? '';
  expect((await askChanges(w.rest, { after })).status).toBe(200);
  expect(await askChanges(other.rest, { after })).toAnswer(410, gone);
  await service.database.query(
    'DELETE FROM audit_entries WHERE account_id = $1 AND id = (SELECT min(id) FROM audit_entries WHERE account_id = $1)',
    [w.accountId],
  );
  expect(await askChanges(w.rest, { after })).toAnswer(410, gone);
  const { body } = await w.graphql.send(
    `query ($account_id: Integer!, $after: Text) { changes(account_id: $account_id, after: $after) { next } }`,
    { account_id: w.accountId, after },
  );
  expect(body.errors?.[0]?.extensions.code).toBe('CURSOR_GONE');
});

test('a page is held back until something comes, or its time is over', async () => {
  const after = await now(w.rest);
  // What the cursor names one by one it may have behind it meanwhile.
  const none = { data: [], next: expect.any(String), more: false };
  expect(await changes(w.rest, { after, wait: 1 })).toEqual(none);
  const held = changes(w.rest, { after, wait: 25 });
  const contact = await w.contact();
  expect(await held).toMatchObject({ data: [{ record_id: contact.id }], more: false });
});

test('in another incarnation of the database old cursors are gone, and the old changes come first', async () => {
  const after = await now(w.rest);
  const before = await changes(w.rest, { limit: 1000 });
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  await renewIncarnation(client);
  await client.end();
  expect(await askChanges(w.rest, { after })).toAnswer(410, gone);
  const next = await now(w.rest);
  const contact = await w.contact();
  const cursor = expect.any(String);
  expect(await read(w.rest, next, 1)).toMatchObject({ data: [{ record_id: contact.id }] });
  const all = (await changes(w.rest, { limit: 1000 })).data;
  const old = before.data.map((change) => ({ ...change, cursor }));
  expect(all.slice(0, -1)).toEqual(expect.arrayContaining(old));
  expect(all.at(-1)).toMatchObject({ record_id: contact.id });
});

test('a search tells on request from where on what it found may have changed, whatever is at work', async () => {
  const path = '/contacts/search?query[full_name_eq]=Searched';
  expect((await w.rest.get(path)).headers).not.toHaveProperty('x-changes-cursor');
  // Its change can be seen, and has no place yet that nothing comes before.
  const end = await service.database.hold('SELECT pg_current_xact_id()');
  const early = await w.contact({ full_name: 'Searched' });
  const found = await w.rest.get<{ data: { id: number }[] }>(path, { 'x-changes-cursor': 'now' });
  const late = await w.contact({ full_name: 'Searched' });
  const after = String(found.headers['x-changes-cursor']);
  expect(found.body.data.map(({ id }) => id)).toEqual([early.id]);
  expect(await changes(w.rest, { after })).toMatchObject({ data: [], more: false });
  await end();
  const { data, next } = await read(w.rest, after, 1);
  expect(data.map(({ record_id }) => record_id)).toEqual([late.id]);
  expect((await changes(w.rest, { after: next })).data).toEqual([]);
});

test('the cursor of a search takes what the feed takes, and is asked for by one word', async () => {
  const ask = (rest: Rest, value: string) =>
    rest.post('/contacts/search', {}, { 'x-changes-cursor': value });
  expect(await ask(w.restAs(w.member.token), 'now')).toAnswer(403, forbidden);
  expect(await ask(w.rest, 'then')).toAnswer(
    422,
    invalidSearchOf({ 'X-Changes-Cursor': 'can only be now' }),
  );
});
