/** Changes are sent to webhooks: signed, at least once, again after failures. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Webhook as Verifier } from 'standardwebhooks';
import type { Database } from '../../src/db/database.ts';
import { now, read } from '../kit/feed.ts';
import { delivering, type Received, startReceiver } from '../kit/receiver.ts';
import type { Webhook, WebhookDelivery } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { raw } = await shipped<typeof import('../../src/db/sql/sql.ts')>('db/sql/sql.js');
const { prune } =
  await shipped<typeof import('../../src/delivery/accounts.ts')>('delivery/accounts.js');
const { makeDeliveries } =
  await shipped<typeof import('../../src/delivery/make.ts')>('delivery/make.js');

let service: Service;
let w: World;
/** Of a process of its own. */
let database: Database;
/** How far the clock of deliveries is ahead of the database's. */
let ahead = '0 s';
beforeAll(async () => {
  service = await startService({
    env: delivering,
    clock: () => `(now() + interval '${ahead}')`,
  });
  w = await world(service);
  database = await openDatabase({ url: service.database.url });
});
afterAll(async () => {
  await database.close();
  await service.close();
});

const deliveriesOf = async (id: number) =>
  (
    await w.rest.post<{ data: WebhookDelivery[] }>(`/webhooks/${id}/deliveries/search`, {
      query: { s: 'id' },
      per_page: 100,
    })
  ).body.data;

/** The deliveries of a webhook, once all of them are as wanted. */
const settled = (id: number, status: WebhookDelivery['status'], count = 1) =>
  until(
    () => deliveriesOf(id),
    (all) => all.length === count && all.every((one) => one.status === status),
    10_000,
  );

/** The signature of a message as anybody makes it. */
const signed = (secret: string, { headers, body }: Received) => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
};

const verify = (secret: string, { headers, body }: Received) =>
  new Verifier(secret).verify(body, {
    'webhook-id': String(headers['webhook-id']),
    'webhook-timestamp': String(headers['webhook-timestamp']),
    'webhook-signature': String(headers['webhook-signature']),
  });

test('each change that a webhook is told comes signed, and nothing else', async () => {
  const receiver = await startReceiver();
  const { id, secret } = await w.webhook({
    url: receiver.url,
    events: ['contact.create', 'deal.*'],
  });
  const contact = await w.contact({ full_name: 'Ana' });
  await w.rest.put(`/contacts/${contact.id}`, { full_name: 'Bea' });
  await w.product();
  await w.deal({ contact_id: contact.id });
  const told = await settled(id, 'delivered', 2);
  expect(told.map(({ event }) => event)).toEqual(['contact.create', 'deal.create']);
  expect(receiver.received).toHaveLength(2);
  for (const each of receiver.received) {
    expect(each.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(String(each.headers['webhook-signature'])).toBe(signed(secret, each));
    expect(verify(secret, each)).toEqual(JSON.parse(each.body));
    const delivery = told.find(({ message_id }) => message_id === each.headers['webhook-id']);
    expect(delivery?.request_body).toBe(each.body);
  }
  const [first] = receiver.received.map(({ body }) => JSON.parse(body));
  expect(first).toMatchObject({
    cursor: expect.stringMatching(/^[\w-]+$/),
    at: contact.created_at,
    action: 'create',
    record_type: 'contact',
    record_id: contact.id,
    before: null,
    after: { full_name: 'Ana' },
    user_id: w.admin.id,
    request_id: expect.any(String),
  });
  expect(told[0]).toMatchObject({
    attempts: 1,
    next_attempt_at: null,
    response_status: 200,
    response_body: 'ok',
    error: null,
    duration_ms: expect.any(Number),
    delivered_at: expect.any(String),
  });
  await receiver.close();
});

test('for a day after a new secret messages are signed with both, and then with the new one', async () => {
  const receiver = await startReceiver();
  const { id, secret: old } = await w.webhook({ url: receiver.url, events: ['account.update'] });
  const { body: rotated } = await w.rest.post<{ secret: string }>(`/webhooks/${id}/rotate_secret`);
  await w.rest.post(`/webhooks/${id}/test`);
  await settled(id, 'delivered');
  const [both] = receiver.received;
  if (!both) throw new Error('nothing was received');
  for (const secret of [old, rotated.secret]) expect(verify(secret, both)).toBeTruthy();
  await service.database.query(
    `UPDATE webhooks SET previous_secret_until = now() - interval '1 s' WHERE id = $1`,
    [id],
  );
  await w.rest.post(`/webhooks/${id}/test`);
  await settled(id, 'delivered', 2);
  const [, one] = receiver.received;
  if (!one) throw new Error('nothing more was received');
  expect(one.headers['webhook-signature']).toBe(signed(rotated.secret, one));
  expect(() => verify(old, one)).toThrow();
  await receiver.close();
});

test('a change whose transaction lasts is told, though others that began later ended before', async () => {
  const receiver = await startReceiver();
  const { id } = await w.webhook({ url: receiver.url, events: ['contact.create'] });
  const end = await service.database.hold(
    `INSERT INTO audit_entries (account_id, action, record_type, record_id)
     VALUES ($1, 'contact.create', 'contact', 4711)`,
    [w.accountId],
  );
  const { id: later } = await w.contact();
  await makeDeliveries(database, w.accountId);
  expect(await deliveriesOf(id)).toEqual([]);
  await end('COMMIT');
  const told = await settled(id, 'delivered', 2);
  expect(told.map(({ record_id }) => record_id)).toEqual([4711, later]);
  await receiver.close();
});

const pauses = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

test('what fails is sent again after ever longer pauses, ten times in all, under one id', async () => {
  const receiver = await startReceiver((response) => {
    response.statusCode = 500;
    response.end(`no\0${'x'.repeat(5000)}`);
  });
  const { id } = await w.webhook({ url: receiver.url, events: ['product.create'] });
  await w.product();
  const waited: number[] = [];
  let elapsed = 0;
  for (let attempt = 1; attempt <= pauses.length + 1; attempt += 1) {
    const [delivery] = await until(
      () => deliveriesOf(id),
      ([one]) => one?.attempts === attempt,
      10_000,
    );
    if (delivery?.status !== 'pending') break;
    const [row] = await service.database.query<{ left: number }>(
      'SELECT round(extract(epoch FROM next_attempt_at - now()))::integer AS left FROM webhook_deliveries WHERE id = $1',
      [delivery.id],
    );
    const left = row?.left ?? 0;
    waited.push(left - elapsed);
    elapsed = left + 1;
    ahead = `${elapsed} s`;
    // What changes a webhook has it looked after at once.
    await w.rest.put(`/webhooks/${id}`, { description: `attempt ${attempt}` });
  }
  ahead = '0 s';
  expect(waited.map((seconds, at) => Math.abs(seconds - (pauses[at] ?? 0)) <= 3)).toEqual(
    pauses.map(() => true),
  );
  const [delivery] = await deliveriesOf(id);
  expect(delivery).toMatchObject({
    status: 'failed',
    attempts: 10,
    next_attempt_at: null,
    response_status: 500,
    error: 'answered 500',
    delivered_at: null,
  });
  expect(delivery?.response_body).toBe(`no\ufffd${'x'.repeat(2045)}`);
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(receiver.received).toHaveLength(10);
  await receiver.close();
}, 60_000);

test('five days of failures switch a webhook off, with the reason and an entry in the trail', async () => {
  const answers = [500, 200];
  const receiver = await startReceiver((response) => {
    response.statusCode = answers.shift() ?? 503;
    response.end();
  });
  const { id } = await w.webhook({ url: receiver.url, events: ['account.update'] });
  const one = async () => (await w.rest.get<Webhook>(`/webhooks/${id}`)).body;
  const tested = async (status: WebhookDelivery['status'], count: number) => {
    await w.rest.post(`/webhooks/${id}/test`);
    await until(
      () => deliveriesOf(id),
      (all) => all.length === count && all.at(-1)?.status === status,
      10_000,
    );
  };
  const since = (age: string) =>
    service.database.query(
      `UPDATE webhooks SET failing_since = now() - interval '${age}' WHERE id = $1`,
      [id],
    );
  await tested('failed', 1);
  expect(await one()).toMatchObject({ enabled: true, failing_since: expect.any(String) });
  await tested('delivered', 2);
  expect(await one()).toMatchObject({ enabled: true, failing_since: null });
  await tested('failed', 3);
  await since('4 days 23 hours');
  await tested('failed', 4);
  expect(await one()).toMatchObject({ enabled: true });
  await since('5 days 1 minute');
  await tested('failed', 5);
  const reason = 'failed for 5 days, at last: answered 503';
  expect(await one()).toMatchObject({
    enabled: false,
    disabled_at: expect.any(String),
    disabled_reason: reason,
  });
  const trail = await service.database.query(
    `SELECT before, after, user_id, token_id FROM audit_entries
     WHERE account_id = $1 AND action = 'webhook.update' AND record_id = $2`,
    [w.accountId, id],
  );
  expect(trail).toEqual([
    {
      before: { enabled: true },
      after: { enabled: false, disabled_reason: reason },
      user_id: null,
      token_id: null,
    },
  ]);
  await receiver.close();
}, 30_000);

test('one that is switched on again is told what changes from then on', async () => {
  const receiver = await startReceiver();
  const { id } = await w.webhook({ url: receiver.url, events: ['contact.create'] });
  await w.rest.put(`/webhooks/${id}`, { enabled: false });
  const before = await now(w.rest);
  await w.contact({ full_name: 'Missed' });
  // A change that is held up by others on the server is sent when it can be.
  await read(w.rest, before, 1, { records: 'contacts' });
  await w.rest.put(`/webhooks/${id}`, { enabled: true });
  const { id: contact } = await w.contact({ full_name: 'Told' });
  const told = await settled(id, 'delivered');
  expect(told.map(({ record_id }) => record_id)).toEqual([contact]);
  await receiver.close();
});

test('a redirect is a failure, and is not followed', async () => {
  const other = await startReceiver();
  const receiver = await startReceiver((response) => {
    response.writeHead(307, { location: other.url }).end();
  });
  const { id } = await w.webhook({ url: receiver.url, events: ['account.update'] });
  await w.rest.post(`/webhooks/${id}/test`);
  const [delivery] = await settled(id, 'failed');
  expect(delivery?.error).toBe('answered 307: redirects are not followed');
  expect(other.connections()).toBe(0);
  await receiver.close();
  await other.close();
});

test('of an endless answer 64 KiB are read', async () => {
  let written = 0;
  const receiver = await startReceiver((response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384))) written += 16_384;
    };
    response.on('drain', more);
    more();
  });
  const { id } = await w.webhook({ url: receiver.url, events: ['account.update'] });
  await w.rest.post(`/webhooks/${id}/test`);
  const [delivery] = await settled(id, 'delivered');
  expect(delivery?.response_body).toBe('x'.repeat(2048));
  // What the buffers of both ends hold lies beyond what was read.
  expect(written).toBeLessThan(16 * 1024 * 1024);
  await receiver.close();
});

test('what is older than 30 days is removed, and the change itself is no longer told', async () => {
  const { id } = await w.webhook({ url: 'https://receiver.invalid/', enabled: false });
  await service.database.query(
    `INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, entry_id, event, record_type, record_id, created_at)
     SELECT $1, $2, 'msg_' || n, 999999999, 'contact.create', 'contact', 1, now() - make_interval(days => n)
     FROM generate_series(29, 31) AS n`,
    [w.accountId, id],
  );
  await prune(database, raw('now()'), new AbortController().signal);
  const left = await deliveriesOf(id);
  expect(left.map(({ message_id, request_body }) => [message_id, request_body])).toEqual([
    ['msg_29', null],
  ]);
});
