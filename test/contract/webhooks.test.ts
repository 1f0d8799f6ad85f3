/** Webhooks as their admins see them: made, changed, read, their secrets shown once. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { inLine, workers } from '../kit/citus.ts';
import type { IssuedWebhook, Webhook, WebhookDelivery } from '../kit/records.ts';
import { invalid, lacking, notFound } from '../kit/refusals.ts';
import type { Rest } from '../kit/rest.ts';
import { type Service, startService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { type Input, type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW: '10.1.0.0/16, receiver.internal:8080' } });
  w = await world(service);
});
afterAll(() => service.close());

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);
const url = 'https://example.com/changes';
const noEvent = (name: string) =>
  `holds "${name}", which is not an event: use *, contact.* or contact.update, of account, contact, deal, deal_assignee, deal_product, event, pipeline, product, stage, user`;

const body = (fields: Input = {}) => ({
  id: expect.any(Number),
  account_id: w.accountId,
  url,
  description: '',
  events: ['contact.*'],
  enabled: true,
  user_id: w.admin.id,
  failing_since: null,
  disabled_at: null,
  disabled_reason: null,
  created_at: moment,
  updated_at: moment,
  ...fields,
});

const deliveryBody = (webhook_id: number, fields: Input = {}) => ({
  id: expect.any(Number),
  account_id: w.accountId,
  webhook_id,
  message_id: expect.stringMatching(/^msg_\w+$/),
  event: 'webhook.test',
  record_type: 'webhook',
  record_id: webhook_id,
  status: 'pending',
  attempts: 0,
  next_attempt_at: moment,
  request_body: expect.any(String),
  response_status: null,
  response_body: null,
  error: null,
  duration_ms: null,
  created_at: moment,
  delivered_at: null,
  ...fields,
});

test('a new one is answered with its secret, which nothing tells again', async () => {
  const sent = { url: ' https://EXAMPLE.com/changes', events: ['contact.*', 'contact.*'] };
  const answer = await w.rest.post<IssuedWebhook>('/webhooks', sent, { 'x-request-id': 'made' });
  expect(answer).toAnswer(201, body({ secret }));
  const { id, secret: shown } = answer.body;
  const again = [
    await w.rest.get(`/webhooks/${id}`),
    await w.rest.post('/webhooks/search', { query: { id_eq: id } }),
    await w.rest.put(`/webhooks/${id}`, { description: 'x' }),
    await w.graphql.send(
      `{ webhook(account_id: ${w.accountId}, id: ${id}) { id url user { full_name } }
         audit_entries(account_id: ${w.accountId}) { data { action before after } } }`,
    ),
  ];
  expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(again.map(({ text }) => text).join()).not.toContain(shown.slice(8, 30));
  const trail = await service.database.query(
    `SELECT action, before, after FROM audit_entries WHERE account_id = $1 AND request_id = 'made'`,
    [w.accountId],
  );
  const { user_id, description, enabled, events } = answer.body;
  expect(trail).toEqual([
    {
      action: 'webhook.create',
      before: null,
      after: { url, description, events, enabled, user_id },
    },
  ]);
});

test('another secret leaves the one of before in force for a day, and both untold', async () => {
  const first = await w.webhook();
  const answer = await w.rest.post<IssuedWebhook>(`/webhooks/${first.id}/rotate_secret`, {});
  expect(answer).toAnswer(200, body({ ...first, secret }));
  expect(answer.body.secret).not.toBe(first.secret);
  const [stored] = await service.database.query(
    `SELECT secret, previous_secret, date_trunc('hour', previous_secret_until - now() + interval '1 minute') AS left FROM webhooks WHERE id = $1`,
    [first.id],
  );
  expect(stored).toMatchObject({ secret: answer.body.secret, previous_secret: first.secret });
  expect(JSON.stringify(stored)).toMatch(/"hours":24|24:00:00|"days":1/);
  const trail = await service.database.query<{ after: object }>(
    `SELECT after FROM audit_entries WHERE account_id = $1 AND action = 'webhook.rotate_secret'`,
    [w.accountId],
  );
  expect(trail).toEqual([{ after: { previous_secret_until: moment } }]);
});

const refused: readonly (readonly [Input, Readonly<Record<string, readonly string[]>>])[] = [
  [
    { url: 'http://example.com' },
    { url: ['must begin with https://, unless WEBHOOK_ALLOW names its host'] },
  ],
  [{ url: 'ftp://receiver.internal:8080' }, { url: ['must begin with https://'] }],
  [{ url: 'example.com' }, { url: ['must be a URL such as https://example.com/changes'] }],
  [{ url: 'https://a:b@example.com' }, { url: ['must not hold a name or a password'] }],
  [
    { url: `https://example.com/${'x'.repeat(2048)}` },
    { url: ['is too long (maximum is 2048 characters)'] },
  ],
  ...['127.0.0.1', '0x7f.1', '[::ffff:10.0.0.1]', '169.254.169.254', '10.2.0.1', '[fe80::1]'].map(
    (host) =>
      [
        { url: `https://${host}/` },
        { url: ['must not lead to an address that is not public'] },
      ] as const,
  ),
  [
    { url: null, events: null },
    { url: ["can't be blank"], events: ["can't be blank"] },
  ],
  [{ events: [] }, { events: ["can't be blank"] }],
  [{ events: 'contact.*' }, { events: ['must be a list of events'] }],
  [{ events: ['token.create'] }, { events: [noEvent('token.create')] }],
  [{ events: ['contact.reorder'] }, { events: [noEvent('contact.reorder')] }],
  [{ user_id: 999_999_999 }, { user_id: ['must exist'] }],
];

test.each(refused)('%j is refused, on creation and on change', async (fields, fault) => {
  const { id } = await w.webhook();
  const created = { url, events: ['*'], ...fields };
  expect(await w.rest.post('/webhooks', created)).toAnswer(422, invalid(fault));
  expect(await w.rest.put(`/webhooks/${id}`, fields)).toAnswer(422, invalid(fault));
});

test.each(['https://10.1.2.3:9000/', 'http://10.1.2.3/', 'http://receiver.internal:8080/x'])(
  '%s is taken where WEBHOOK_ALLOW names it',
  async (allowed) => {
    expect(await w.webhook({ url: allowed })).toMatchObject({ url: allowed });
  },
);

test('an account has fifty at most, however many are made at once', async () => {
  const other = await world(service);
  const make = () => other.rest.post('/webhooks', { url, events: ['*'], enabled: false });
  // Where one machine is several servers, more would wait in line for too long.
  const room = workers.length > 0 ? 5 : 20;
  for (let n = room; n < 50; n += 1) expect(await make()).toMatchObject({ status: 201 });
  const all = await Promise.all(Array.from({ length: room + 3 }, () => inLine(make)));
  expect(all.filter(({ status }) => status === 201)).toHaveLength(room);
  expect(all.find(({ status }) => status !== 201)).toAnswer(
    422,
    invalid({ url: ['cannot be added: the account has 50 webhooks, which is the most'] }),
  );
});

describe('a token', () => {
  test('needs the read scope of all that would be told', async () => {
    const token = await issue(service.database, w.admin, {
      scopes: ['webhooks:write', 'contacts:read'],
    });
    const rest = w.restAs(token);
    const sent = { url, events: ['contact.*'] };
    expect(await rest.post('/webhooks', sent)).toAnswer(201);
    expect(await rest.post('/webhooks', { url, events: ['deal.update'] })).toAnswer(
      403,
      lacking('deals:read'),
    );
    const { id } = await w.webhook({ events: ['product.*'] });
    for (const path of ['rotate_secret', 'test', 'replay', 'deliveries/search']) {
      const given = path === 'replay' ? { from: '2026-01-01T00:00:00Z' } : {};
      expect(await rest.post(`/webhooks/${id}/${path}`, given)).toAnswer(
        403,
        lacking('products:read'),
      );
    }
    // Who may change where changes go could have them.
    expect(await rest.put(`/webhooks/${id}`, { events: ['contact.*'] })).toAnswer(
      403,
      lacking('products:read'),
    );
    expect(await rest.get(`/webhooks/${id}`)).toAnswer(200);
  });

  test('gets nothing of what a webhook was told before, of records that it may not read', async () => {
    const contact = await w.contact();
    const { id } = await w.webhook({ events: ['*'], enabled: false });
    await service.database.query(
      `INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, event, record_type, record_id, response_body)
       SELECT $1, $2, 'msg_' || type, type || '.create', type, $3, 'its answer' FROM unnest(ARRAY['contact', 'product']) AS type`,
      [w.accountId, id, contact.id],
    );
    await w.rest.put(`/webhooks/${id}`, { events: ['product.*'], enabled: true });
    const listed = async (rest: Rest) =>
      (await rest.post<{ data: WebhookDelivery[] }>(`/webhooks/${id}/deliveries/search`)).body.data;
    const [product, ofContact] = await listed(w.rest);
    expect([product?.event, ofContact?.event]).toEqual(['product.create', 'contact.create']);
    const scopes = ['webhooks:write', 'products:read'];
    const rest = w.restAs(await issue(service.database, w.admin, { scopes }));
    expect(await listed(rest)).toEqual([product]);
    const refused = lacking('contacts:read');
    expect(await rest.post(`/deliveries/${ofContact?.id}/retry`)).toAnswer(403, refused);
    // It still waits, and would go there.
    expect(await rest.put(`/webhooks/${id}`, { url: `${url}/mine` })).toAnswer(403, refused);
    expect(await rest.put(`/webhooks/${id}`, { description: 'Mine' })).toAnswer(200);
  });
});

test('a test is a delivery, listed with what is sent', async () => {
  const { id } = await w.webhook();
  const answer = await w.rest.post<WebhookDelivery>(`/webhooks/${id}/test`);
  expect(answer).toAnswer(201, deliveryBody(id));
  const listed = await w.rest.post<{ data: WebhookDelivery[] }>(
    `/webhooks/${id}/deliveries/search`,
    {
      query: { event_eq: 'webhook.test' },
    },
  );
  expect(listed.body.data).toEqual([answer.body]);
  expect(JSON.parse(answer.body.request_body ?? '')).toMatchObject({
    action: 'test',
    record_type: 'webhook',
    record_id: id,
    before: null,
    after: null,
  });
});

test('what was delivered or failed can be sent again, under its id', async () => {
  const { id } = await w.webhook();
  const { body: first } = await w.rest.post<WebhookDelivery>(`/webhooks/${id}/test`);
  await service.database.query(
    `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, attempts = 10 WHERE id = $1`,
    [first.id],
  );
  expect(await w.rest.post(`/deliveries/${first.id}/retry`)).toAnswer(
    200,
    deliveryBody(id, { ...first, attempts: 10, next_attempt_at: moment }),
  );
});

test('a replay sends the changes of a period that the webhook is told, once each', async () => {
  const contact = await w.contact({ full_name: 'Ana' });
  await w.rest.put(`/contacts/${contact.id}`, { full_name: 'Bea' });
  await w.product();
  const { id } = await w.webhook({ events: ['contact.update'] });
  const period = { from: contact.created_at };
  const replay = () => w.rest.post<{ deliveries: number }>(`/webhooks/${id}/replay`, period);
  expect(await replay()).toAnswer(200, { deliveries: 1 });
  const listed = await w.rest.post<{ data: WebhookDelivery[] }>(
    `/webhooks/${id}/deliveries/search`,
  );
  const [delivery] = listed.body.data;
  expect(listed.body.data).toEqual([
    deliveryBody(id, { event: 'contact.update', record_type: 'contact', record_id: contact.id }),
  ]);
  expect(JSON.parse(delivery?.request_body ?? '')).toMatchObject({
    action: 'update',
    record_id: contact.id,
    before: { full_name: 'Ana' },
    after: { full_name: 'Bea' },
    user_id: w.admin.id,
  });
  // It still waits.
  expect(await replay()).toAnswer(200, { deliveries: 0 });
});

test('one that is switched off sends nothing, and says when it was', async () => {
  const { id } = await w.webhook();
  const off = await w.rest.put<Webhook>(`/webhooks/${id}`, { enabled: false });
  expect(off.body).toMatchObject({ enabled: false, disabled_at: moment, disabled_reason: null });
  const refused = invalid({ enabled: ['is false, and so nothing is sent'] });
  expect(await w.rest.post(`/webhooks/${id}/test`)).toAnswer(422, refused);
  const period = { from: '2026-01-01T00:00:00Z' };
  expect(await w.rest.post(`/webhooks/${id}/replay`, period)).toAnswer(422, refused);
  const on = await w.rest.put<Webhook>(`/webhooks/${id}`, { enabled: true });
  expect(on.body).toMatchObject({ enabled: true, disabled_at: null });
});

test('one that is removed takes its deliveries along', async () => {
  const { id } = await w.webhook();
  const { body: delivery } = await w.rest.post<WebhookDelivery>(`/webhooks/${id}/test`);
  expect(await w.rest.delete(`/webhooks/${id}`)).toAnswer(204, undefined);
  expect(await w.rest.post(`/webhooks/${id}/deliveries/search`)).toAnswer(404, notFound);
  expect(await w.rest.post(`/deliveries/${delivery.id}/retry`)).toAnswer(404, notFound);
});

test('one with more deliveries than one statement removes goes whole, and is told of once', async () => {
  const { id } = await w.webhook({ url, enabled: false });
  await service.database.query(
    `INSERT INTO webhook_deliveries (account_id, webhook_id, message_id, event, record_type, record_id)
     SELECT $1, $2, 'msg_' || n, 'contact.create', 'contact', n FROM generate_series(1, 10001) AS n`,
    [w.accountId, id],
  );
  const answer = await w.rest.delete(`/webhooks/${id}`);
  expect(answer).toAnswer(204, undefined);
  const rows = await service.database.query(
    `SELECT action, record_id, before ->> 'url' AS url,
       (SELECT count(*) FROM webhook_deliveries WHERE account_id = $1 AND webhook_id = $3) AS left
     FROM audit_entries WHERE account_id = $1 AND request_id = $2`,
    [w.accountId, answer.headers['x-request-id'], id],
  );
  expect(rows).toEqual([{ action: 'webhook.delete', record_id: id, url, left: 0 }]);
});

test('the deliveries of one stay that is not to be removed in this version', async () => {
  const { id } = await w.webhook();
  await w.rest.post(`/webhooks/${id}/test`);
  expect(await w.rest.delete(`/webhooks/${id}`, { 'if-match': '"old"' })).toAnswer(412);
  const listed = await w.rest.post<{ data: unknown[] }>(`/webhooks/${id}/deliveries/search`);
  expect(listed.body.data).toHaveLength(1);
});

test.each([
  ['to another user', (to: number) => `?reassign_to=${to}`, (to: number) => to],
  ['to nobody', () => '', () => null],
])('those of a user who is removed go %s', async (_, query, owner) => {
  const leaver = await w.user();
  const { id } = await w.webhook({ user_id: leaver.id });
  expect(await w.rest.delete(`/users/${leaver.id}${query(w.member.id)}`)).toAnswer(204);
  const kept = await w.rest.get<Webhook>(`/webhooks/${id}`);
  expect(kept.body).toMatchObject({ enabled: true, user_id: owner(w.member.id) });
});
