/** Notifications in browsers when an event falls due, read by a push service of this test's own. */
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import type { Database } from '../../src/db/database.ts';
import { type Received, startReceiver } from '../kit/receiver.ts';
import type { Event } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { issue } from '../kit/tokens.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { PushSender } =
  await shipped<typeof import('../../src/delivery/push.ts')>('delivery/push.js');
const { Receivers } =
  await shipped<typeof import('../../src/delivery/receivers.ts')>('delivery/receivers.js');
const { DueEvents } =
  await shipped<typeof import('../../src/resources/events/due.ts')>('resources/events/due.js');

let service: Service;
let database: Database;
let pushing: InstanceType<typeof PushSender>;
let receivers: InstanceType<typeof Receivers>;
const warned: object[] = [];
beforeAll(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '127.0.0.0/8' } });
  database = await openDatabase({ url: service.database.url });
  receivers = new Receivers(['127.0.0.0/8']);
  pushing = new PushSender(database, receivers, 'https://crm.example.com', log);
});
afterAll(async () => {
  pushing.close();
  receivers.close();
  await database.close();
  await service.close();
});

const log = { warn: (what: object) => void warned.push(what) };
const look = () => new DueEvents(database, log, (...due) => pushing.notify(...due)).look();

/** A browser that is subscribed, as its push service sees it. */
class Browser {
  readonly #keys = createECDH('prime256v1');
  readonly #auth = randomBytes(16);
  readonly endpoint: string;

  constructor(endpoint: string) {
    this.endpoint = endpoint;
    this.#keys.generateKeys();
  }

  get input() {
    return {
      endpoint: this.endpoint,
      p256dh: this.#keys.getPublicKey('base64url'),
      auth: this.#auth.toString('base64url'),
    };
  }

  /** What was encrypted for it, by RFC 8188 and RFC 8291. */
  read({ bytes }: Pick<Received, 'bytes'>): unknown {
    const [salt, sender, sealed] = [
      bytes.subarray(0, 16),
      bytes.subarray(21, 86),
      bytes.subarray(86),
    ];
    const derived = (key: Buffer, with_: Buffer, info: string | Buffer, length: number) =>
      Buffer.from(hkdfSync('sha256', key, with_, info, length));
    const keys = Buffer.concat([Buffer.from('WebPush: info\0'), this.#keys.getPublicKey(), sender]);
    const secret = derived(this.#keys.computeSecret(sender), this.#auth, keys, 32);
    const key = derived(secret, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derived(secret, salt, 'Content-Encoding: nonce\0', 12);
    const opening = createDecipheriv('aes-128-gcm', key, nonce);
    opening.setAuthTag(sealed.subarray(-16));
    const padded = Buffer.concat([opening.update(sealed.subarray(0, -16)), opening.final()]);
    return JSON.parse(padded.subarray(0, padded.lastIndexOf(2)).toString());
  }
}

const subscribe = `mutation ($account: Integer!, $input: WebPushInput!) {
  subscribe_web_push(account_id: $account, input: $input) }`;
const unsubscribe = `mutation ($account: Integer!, $endpoint: Text!) {
  unsubscribe_web_push(account_id: $account, endpoint: $endpoint) }`;

const ask = (w: World, token: string, document: string, variables: object) =>
  w
    .graphqlAs(token)
    .data<Record<string, boolean>>(document, { account: w.accountId, ...variables });

const wants = (w: World, userId: number, is = true) =>
  w.rest.put(`/users/${userId}`, { webpush_notify_on_event_expired: is });

async function dueEvent(w: World, path: string, token = w.admin.token): Promise<Event> {
  const scheduled_at = new Date(Date.now() - 60_000).toISOString();
  const answer = await w
    .restAs(token)
    .post<Event>(`${path}/events`, { kind: 'activity', title: 'Call Ana', scheduled_at });
  expect(answer).toAnswer(201);
  return answer.body;
}

const came = (receiver: { readonly received: readonly Received[] }, count: number) =>
  until(
    async () => receiver.received,
    (received) => received.length >= count,
    10_000,
  );

test('the author of an event is notified once when it falls due, in a way that only the browser can read', async () => {
  const w = await world(service);
  const receiver = await startReceiver();
  const browser = new Browser(`${receiver.url}one`);
  await wants(w, w.admin.id);
  await ask(w, w.admin.token, subscribe, { input: browser.input });
  const contact = await w.contact();
  await dueEvent(w, `/contacts/${contact.id}`);
  await look();
  const [sent] = await came(receiver, 1);
  if (!sent) throw new Error('nothing came');
  expect(browser.read(sent)).toEqual({ title: 'Call Ana', url: `/console/contacts/${contact.id}` });
  expect(sent.body).not.toContain('Ana');
  expect(sent.headers).toMatchObject({ ttl: '86400', 'content-encoding': 'aes128gcm' });
  const [, token = '', key = ''] =
    /^vapid t=([^,]+), k=(.+)$/.exec(String(sent.headers.authorization)) ?? [];
  const { web_push_key } = await w.graphql.data<{ web_push_key: string }>(
    `{ web_push_key(account_id: ${w.accountId}) }`,
  );
  expect(key).toBe(web_push_key);
  expect(jwt.decode(token)).toMatchObject({
    aud: new URL(receiver.url).origin,
    sub: 'https://crm.example.com',
  });
  await look();
  expect(receiver.received).toHaveLength(1);
  await receiver.close();
});

test('so are assignees of its deal who want it, and nobody else', async () => {
  const w = await world(service);
  const receiver = await startReceiver();
  const [assigned, other, unwilling] = [await w.user(), await w.user(), await w.user()];
  const deal = await w.deal();
  for (const user of [assigned, unwilling]) {
    await w.rest.post('/deal_assignees', { deal_id: deal.id, user_id: user.id });
  }
  for (const user of [assigned, other]) await wants(w, user.id);
  for (const user of [assigned, other, unwilling]) {
    const { input } = new Browser(`${receiver.url}${user.id}`);
    await ask(w, await issue(service.database, user), subscribe, { input });
  }
  await dueEvent(w, `/deals/${deal.id}`);
  await look();
  await came(receiver, 1);
  expect(receiver.received.map(({ path }) => path)).toEqual([`/${assigned.id}`]);
  await receiver.close();
});

test('several events at once are one notification', async () => {
  const w = await world(service);
  const receiver = await startReceiver();
  const browser = new Browser(receiver.url);
  await wants(w, w.admin.id);
  await ask(w, w.admin.token, subscribe, { input: browser.input });
  const { id } = await w.contact();
  for (let count = 0; count < 3; count++) await dueEvent(w, `/contacts/${id}`);
  await look();
  const [sent] = await came(receiver, 1);
  expect(sent && browser.read(sent)).toEqual({
    title: 'Call Ana (+2)',
    url: `/console/contacts/${id}`,
  });
  await receiver.close();
});

test.each([404, 410])('a browser whose push service answers %d is forgotten', async (status) => {
  const w = await world(service);
  const receiver = await startReceiver((response) => response.writeHead(status).end());
  await wants(w, w.admin.id);
  await ask(w, w.admin.token, subscribe, { input: new Browser(receiver.url).input });
  const { id } = await w.contact();
  await dueEvent(w, `/contacts/${id}`);
  await look();
  await came(receiver, 1);
  const left = await until(
    () =>
      service.database.query('SELECT id FROM web_push_subscriptions WHERE account_id = $1', [
        w.accountId,
      ]),
    (rows) => rows.length === 0,
    10_000,
  );
  expect(left).toEqual([]);
  await receiver.close();
});

describe('a subscription', () => {
  test('can be ended by its user alone', async () => {
    const w = await world(service);
    const { input } = new Browser('https://push.example.com/one');
    const { endpoint } = input;
    expect(await ask(w, w.member.token, subscribe, { input })).toEqual({
      subscribe_web_push: true,
    });
    const end = async (token: string) =>
      (await ask(w, token, unsubscribe, { endpoint })).unsubscribe_web_push;
    expect([
      await end(w.admin.token),
      await end(w.member.token),
      await end(w.member.token),
    ]).toEqual([false, true, false]);
  });

  test('is ended by a text alone', async () => {
    const w = await world(service);
    const { body } = await w
      .graphqlAs(w.member.token)
      .send(unsubscribe, { account: w.accountId, endpoint: { toString: 'a' } });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { endpoint: [expect.any(String)] },
    });
  });

  test('of the same browser takes the place of the former, and the oldest of many make room', async () => {
    const w = await world(service);
    const endpoints = Array.from({ length: 23 }, (_, at) => `https://push.example.com/${at}`);
    for (const endpoint of [...endpoints, ...endpoints.slice(-1)]) {
      await ask(w, w.admin.token, subscribe, { input: new Browser(endpoint).input });
    }
    const rows = await service.database.query(
      'SELECT endpoint FROM web_push_subscriptions WHERE account_id = $1 ORDER BY id',
      [w.accountId],
    );
    expect(rows).toEqual(endpoints.slice(3).map((endpoint) => ({ endpoint })));
  });

  test.each([
    ['endpoint', { endpoint: 'push' }, 'must be a URL'],
    ['endpoint', { endpoint: 'http://push.example.com/' }, 'must begin with https://'],
    [
      'endpoint',
      { endpoint: 'https://10.0.0.1/' },
      'must not lead to an address that is not public',
    ],
    ['endpoint', { endpoint: null }, "can't be blank"],
    ['p256dh', { p256dh: 'AAAA' }, 'must be a public key in base64url'],
    [
      'p256dh',
      { p256dh: Buffer.alloc(65, 4).toString('base64url') },
      'must be a public key in base64url',
    ],
    ['auth', { auth: 'x' }, 'must be 16 bytes in base64url'],
  ])('is refused for its %s: %j', async (field, changed, message) => {
    const w = await world(service);
    const input = { ...new Browser('https://push.example.com/').input, ...changed };
    const { body } = await w
      .graphqlAs(w.member.token)
      .send(subscribe, { account: w.accountId, input });
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: { [field]: [expect.stringContaining(message)] },
    });
  });
});

test('nothing went wrong', () => expect(warned).toEqual([]));
