/** Changes as Server-Sent Events: which are sent, and when they end. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { type Listening, listen } from '../kit/events.ts';
import { changes, now } from '../kit/feed.ts';
import { blocksOf } from '../kit/guides.ts';
import { sharedService, startService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const open = (
  query: string,
  headers: Readonly<Record<string, string>> = {},
  token = w.admin.token,
): Promise<Listening> =>
  listen(service.url, `/api/v1/accounts/${w.accountId}/changes?${query}`, {
    authorization: `Bearer ${token}`,
    ...headers,
  });

test('changes are told as pages tell them, those that were there first and then as they come', async () => {
  const after = await now(w.rest);
  await w.contact({ full_name: 'Before' });
  const listening = await open(`after=${after}`);
  expect(listening.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': expect.any(String),
  });
  await listening.came(1);
  // A line break within is data of the event all the same.
  await w.rest.post('/contacts', '{"custom_attributes": {"a":\n\r\n1}}');
  const events = await listening.came(2);
  listening.close();
  const { data } = await changes(w.rest, { after });
  expect(events.map(({ id, data }) => ({ id, told: JSON.parse(data) }))).toEqual(
    data.map((told) => ({ id: told.cursor, told })),
  );
});

test('a client that was cut off goes on behind the last event that it got', async () => {
  const after = await now(w.rest);
  const [first, second] = [await w.product(), await w.product()];
  const begun = await open(`after=${after}&records=products&limit=1`);
  const [{ id, data } = { id: '', data: '' }] = await begun.came(1);
  begun.close();
  expect(JSON.parse(data).record_id).toBe(first.id);
  const resumed = await open(`after=${after}&records=products`, { 'last-event-id': id });
  const [following] = await resumed.came(1);
  resumed.close();
  expect(JSON.parse(following?.data ?? '').record_id).toBe(second.id);
});

test('from now on only what comes is told', async () => {
  await w.product();
  const listening = await open('after=now&records=products');
  const product = await w.product();
  const [told] = await listening.came(1);
  listening.close();
  expect(JSON.parse(told?.data ?? '').record_id).toBe(product.id);
});

test('a client that was cut off before anything came misses nothing', async () => {
  await w.product();
  const listening = await open('after=now&records=products');
  const id = await listening.lastId();
  listening.close();
  expect(listening.events).toEqual([]);
  const product = await w.product();
  const resumed = await open('after=now&records=products', { 'last-event-id': id });
  const [told] = await resumed.came(1);
  resumed.close();
  expect(JSON.parse(told?.data ?? '').record_id).toBe(product.id);
});

test('an empty id of a last event says nothing of where to go on', async () => {
  await w.product();
  const listening = await open('after=now&records=products', { 'last-event-id': '' });
  const product = await w.product();
  const [told] = await listening.came(1);
  listening.close();
  expect(JSON.parse(told?.data ?? '').record_id).toBe(product.id);
});

test('what cannot be told is refused as it is elsewhere', async () => {
  const refused = await open('after=x&wait=3');
  expect([refused.status, refused.headers['content-type']]).toEqual([
    422,
    'application/json; charset=utf-8',
  ]);
  expect(Object.keys(JSON.parse(refused.body).fields)).toEqual(['after']);
  expect((await open('after=now&wait=3')).status).toBe(422);
  const resumed = await open(`after=${await now(w.rest)}`, { 'last-event-id': 'x' });
  expect([resumed.status, JSON.parse(resumed.body).fields]).toEqual([
    422,
    { 'Last-Event-ID': ['is not a cursor: send one unchanged, or now'] },
  ]);
  expect((await open('', {}, w.member.token)).status).toBe(403);
  expect((await open('', {}, 'none')).status).toBe(401);
});

test('it ends for a token that is revoked, and for a user who is no admin any more', async () => {
  const revoked = await issue(service.database, w.admin);
  const { id } = await w.user({ role: 'admin' });
  const demoted = await issue(service.database, { id, account_id: w.accountId });
  const [one, other, kept] = await Promise.all(
    [revoked, demoted, w.admin.token].map((token) => open('after=now', {}, token)),
  );
  await service.database.query('UPDATE api_tokens SET revoked_at = now() WHERE jti = $1', [
    JSON.parse(Buffer.from(revoked.split('.')[1] ?? '', 'base64url').toString()).jti,
  ]);
  await service.database.query("UPDATE users SET role = 'member' WHERE id = $1", [id]);
  await Promise.all([one?.ended(), other?.ended()]);
  await w.contact();
  expect((await kept?.came(1))?.length).toBeGreaterThan(0);
  kept?.close();
  expect([one?.events, other?.events]).toEqual([[], []]);
});

test('who listens takes no place among the requests in hand, and no connection to the database', async () => {
  const small = await startService({ database: service.database, env: { DATABASE_POOL: '2' } });
  const path = `/api/v1/accounts/${w.accountId}/changes?after=now`;
  const headers = { authorization: `Bearer ${w.admin.token}` };
  // More than the process takes requests in hand, even of an account that is alone.
  const all: Listening[] = [];
  for (let batch = 0; batch < 5; batch++) {
    const ten = Array.from({ length: 10 }, () => listen(small.url, path, headers));
    all.push(...(await Promise.all(ten)));
  }
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
  const answer = await small.client.send({
    method: 'GET',
    path: `/api/v1/accounts/${w.accountId}/me`,
    headers,
  });
  expect(answer.status).toBe(200);
  const closing = small.close();
  await Promise.all(all.map((each) => each.ended()));
  await closing;
});

test('the recipe of the guide says why it ends, as with an invalid token', async () => {
  const [recipe = ''] = blocksOf('src/docs/api/changes-feed.md', 'sh');
  const base = `${service.url}/api/v1/accounts/${w.accountId}`;
  const here = recipe.replace(/^BASE=.*$/m, `BASE=${base}`);
  const env = { ...process.env, TOKEN: 'none' };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', here], { env });
  expect([stdout, stderr]).toEqual(['', expect.stringMatching(/^curl: \(22\) .* 401$/m)]);
});
