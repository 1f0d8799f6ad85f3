/** Writes that come with an Idempotency-Key: done once, and answered as the first time. */
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import type { Contact, User } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

let key: { 'idempotency-key': string };
beforeEach(() => {
  key = { 'idempotency-key': randomUUID() };
});

const count = async (table: string, where = '') => {
  const [row] = await service.database.query<{ n: number }>(
    `SELECT count(*)::integer AS n FROM ${table} WHERE account_id = $1 ${where}`,
    [w.accountId],
  );
  return row?.n;
};

/** What a client sees of an answer, whenever it was given. */
const seen = ({ status, text, headers }: Answer) => ({
  status,
  text,
  type: headers['content-type'],
  etag: headers.etag,
  ignored: headers['x-ignored-fields'],
  applied: headers['preference-applied'],
});

/** Holds that an answer is the one that was given before. */
function expectReplay(again: Answer, first: Answer): void {
  expect(seen(again)).toEqual(seen(first));
  expect([first, again].map(({ headers }) => headers['idempotent-replayed'])).toEqual([
    undefined,
    'true',
  ]);
}

const refused = (message: string) => ({
  error: 'Validation failed',
  code: 'validation_failed',
  errors: [`Idempotency-Key ${message}`],
  fields: { 'Idempotency-Key': [message] },
  codes: { 'Idempotency-Key': ['invalid'] },
  request_id: expect.any(String),
});

describe('the same request with the same key', () => {
  test('creates one record, with one entry of the trail', async () => {
    const before = await count('contacts');
    const entries = await count('audit_entries');
    // No other contact may have the e-mail.
    const fields = { email: unique('kept'), custom_attributes: { b: 1, a: 1.0 } };
    const send = () => w.rest.post<Contact>('/contacts', fields, key);
    const first = await send();
    expect(first.status).toBe(201);
    expectReplay(await send(), first);
    expect(await count('contacts')).toBe((before ?? 0) + 1);
    expect(await count('audit_entries')).toBe((entries ?? 0) + 1);
  });

  test('is answered the same after the record has changed, and after it is gone', async () => {
    const { id } = await w.contact({ full_name: 'Before' });
    const path = `/contacts/${id}`;
    const update = () => w.rest.put(path, { full_name: 'First' }, key);
    const removal = { 'idempotency-key': randomUUID() };
    const first = await update();
    await w.rest.put(path, { full_name: 'Second' });
    expectReplay(await update(), first);
    expect((await w.rest.get<Contact>(path)).body.full_name).toBe('Second');
    const gone = await w.rest.delete(path, removal);
    expect(gone.status).toBe(204);
    expectReplay(await w.rest.delete(path, removal), gone);
    expectReplay(await update(), first);
    expect((await w.rest.get(path)).status).toBe(404);
  });

  test('moves a deal once, with all that follows from it', async () => {
    const deals = await Promise.all([w.deal(), w.deal(), w.deal()]);
    const id = deals[0]?.id ?? 0;
    const move = () => w.rest.put(`/deals/${id}`, { stage_id: w.other.stageId, position: 1 }, key);
    const first = await move();
    expect(first.status).toBe(200);
    await w.deal({ stage_id: w.other.stageId, position: 1 });
    expectReplay(await move(), first);
    expect((await w.fetchDeal(id)).position).toBe(2);
    expect(await count('events', `AND deal_id = ${id} AND kind = 'deal_stage_change'`)).toBe(1);
  });

  test('tells again what was ignored, and by which preference it was read', async () => {
    const strict = { ...key, prefer: 'handling=strict' };
    const send = () => w.rest.post('/contacts', { full_name: 'x' }, strict);
    const first = await send();
    expect(seen(first)).toMatchObject({ status: 201, applied: 'handling=strict' });
    expectReplay(await send(), first);
    const other = { 'idempotency-key': randomUUID() };
    const ignoring = () => w.rest.post('/contacts', { full_name: 'x', mail: 'y' }, other);
    const told = await ignoring();
    expect(seen(told)).toMatchObject({ status: 201, ignored: 'mail' });
    expectReplay(await ignoring(), told);
  });

  test('is known by what it unpacks to, and with a part of the fields', async () => {
    const body = JSON.stringify({ full_name: unique('packed') });
    const first = await w.rest.post('/contacts?fields=id', body, key);
    const packed = gzipSync(body);
    const again = await w.rest.post('/contacts?fields=id', packed, {
      ...key,
      'content-encoding': 'gzip',
    });
    expectReplay(again, first);
    expect(first.body).toEqual({ id: expect.any(Number) });
  });

  test('shows a token and a secret again, which are nowhere in the database', async () => {
    const token = () => w.rest.post<{ access_token: string }>('/tokens', { name: 'x' }, key);
    const first = await token();
    expectReplay(await token(), first);
    const webhook = { 'idempotency-key': randomUUID() };
    const hook = () =>
      w.rest.post<{ secret: string }>(
        '/webhooks',
        { url: 'https://a.invalid', events: ['*'] },
        webhook,
      );
    const made = await hook();
    expectReplay(await hook(), made);
    const rows = await service.database.query<{ row: string }>(
      'SELECT row::text FROM idempotency_keys AS row WHERE account_id = $1',
      [w.accountId],
    );
    const stored = rows.map(({ row }) => row).join();
    for (const text of [first.body.access_token, made.body.secret, key['idempotency-key']]) {
      expect(text.length).toBeGreaterThan(30);
      expect(stored).not.toContain(text);
      expect(stored).not.toContain(Buffer.from(text).toString('base64url').slice(0, -2));
    }
  });
});

describe('a refusal', () => {
  test('is told again, though the request would be taken by now', async () => {
    const email = unique('taken');
    const { id } = await w.contact({ email });
    const send = () => w.rest.post('/contacts', { email }, key);
    const first = await send();
    expect(first.status).toBe(422);
    await w.rest.delete(`/contacts/${id}`);
    expectReplay(await send(), first);
  });

  test('of a record that is not there is told again', async () => {
    const send = () => w.rest.delete('/contacts/9007199254740991', key);
    const first = await send();
    expect(first.status).toBe(404);
    expectReplay(await send(), first);
  });

  test('of a body that is no object is told again', async () => {
    const send = () => w.rest.post('/contacts', '[]', key);
    const first = await send();
    expect(first.status).toBe(422);
    expectReplay(await send(), first);
  });

  test.each([
    [403, () => w.restAs(w.member.token).post('/pipelines', { name: 'x' }, key)],
    [401, () => w.restAs('nobody').post('/contacts', {}, key)],
    [400, () => w.rest.post('/contacts', '{', key)],
  ])('that says %i stores nothing', async (status, send) => {
    const before = await count('idempotency_keys');
    expect((await send()).status).toBe(status);
    expect(await count('idempotency_keys')).toBe(before);
  });
});

describe('another request with the same key is refused', () => {
  beforeEach(async () => {
    await w.rest.post('/contacts', { full_name: 'x' }, key);
  });

  test.each<[string, () => Promise<Answer>]>([
    ['another body', () => w.rest.post('/contacts', { full_name: 'y' }, key)],
    ['another path', () => w.rest.post('/contacts/upsert', { full_name: 'x' }, key)],
    ['another query string', () => w.rest.post('/contacts?fields=id', { full_name: 'x' }, key)],
    [
      'another preference',
      () => w.rest.post('/contacts', { full_name: 'x' }, { ...key, prefer: 'handling=strict' }),
    ],
    ['another method', () => w.rest.delete('/contacts/1', key)],
  ])('%s', async (_, send) => {
    const answer = await send();
    expect(answer).toAnswer(422, refused('was sent with another request before'));
    expect(answer.headers['idempotent-replayed']).toBeUndefined();
  });
});

describe('a key', () => {
  test('is of one token: with another one it is another key', async () => {
    const before = (await count('contacts')) ?? 0;
    const first = await w.rest.post<Contact>('/contacts', { full_name: 'x' }, key);
    const other = await w
      .restAs(w.member.token)
      .post<Contact>('/contacts', { full_name: 'y' }, key);
    const own = await issue(service.database, w.admin);
    const third = await w.restAs(own).post<Contact>('/contacts', { full_name: 'x' }, key);
    expect([first.status, other.status, third.status]).toEqual([201, 201, 201]);
    expect(await count('contacts')).toBe(before + 3);
  });

  test.each([
    ['is empty', ''],
    ['has a blank', 'a b'],
    ['is not ASCII', 'caf\u00e9'],
    ['has 256 characters', 'x'.repeat(256)],
    ['comes twice', ['a', 'b']],
  ])('that %s is refused', async (_, sent) => {
    const answer = await w.rest.post('/contacts', {}, { 'idempotency-key': sent });
    expect(answer).toAnswer(
      422,
      refused('must be 1 to 255 visible ASCII characters, and sent once'),
    );
  });

  test('may have 255 characters, of whatever is visible', async () => {
    const long = `"!~${'x'.repeat(252)}`;
    const send = () => w.rest.post('/contacts', {}, { 'idempotency-key': long });
    const first = await send();
    expect(first.status).toBe(201);
    expectReplay(await send(), first);
  });

  test('is ignored where nothing is written', async () => {
    const before = await count('idempotency_keys');
    const odd = { 'idempotency-key': 'a b' };
    expect((await w.rest.post('/contacts/search', {}, odd)).status).toBe(200);
    expect((await w.rest.get('/contacts/search', odd)).status).toBe(200);
    expect((await w.graphql.send('{ __typename }', {}, odd)).status).toBe(200);
    expect(await count('idempotency_keys')).toBe(before);
  });

  test('is forgotten after 24 hours, and can be used again', async () => {
    const send = () => w.rest.post<Contact>('/contacts', { full_name: 'x' }, key);
    const first = await send();
    const age = (interval: string) =>
      service.database.query(
        `UPDATE idempotency_keys SET created_at = now() - $2::interval
         WHERE account_id = $1 AND id = (SELECT max(id) FROM idempotency_keys WHERE account_id = $1)`,
        [w.accountId, interval],
      );
    await age('23 h 59 min');
    expectReplay(await send(), first);
    await age('24 h');
    const second = await send();
    expect(second.body.id).toBeGreaterThan(first.body.id);
    expectReplay(await send(), second);
  });
});

test('an answer is not repeated to a caller who may no longer see it', async () => {
  const user = await w.user({ role: 'admin' });
  const token = await issue(service.database, { ...w.admin, id: user.id });
  const send = () => w.restAs(token).post<User>('/tokens', { name: 'x', user_id: w.admin.id }, key);
  const first = await send();
  expect(first.status).toBe(201);
  expectReplay(await send(), first);
  await w.rest.put(`/users/${user.id}`, { role: 'member' });
  expect((await send()).status).toBe(403);
});

describe('statements', () => {
  const sent = async (work: () => Promise<Answer>) => {
    service.statements.length = 0;
    await work();
    return service.statements.map((text) => text.split(/\s+/).slice(0, 3).join(' '));
  };

  test.each(['contacts', 'products', 'pipelines'])(
    'of a creation among %s with a key are no more, and of a replay there is one',
    async (kind) => {
      const send = () => w.rest.post(`/${kind}`, { name: 'x' }, key);
      expect(await sent(send)).toEqual(['WITH known AS']);
      expect(await sent(send)).toEqual(['WITH known AS']);
    },
  );

  test('of another write with a key are four more, and of a replay there is one', async () => {
    const { id } = await w.contact();
    const send = () => w.rest.put(`/contacts/${id}`, { full_name: 'x' }, key);
    expect(await sent(send)).toEqual([
      'SELECT digest, part,',
      'BEGIN',
      'WITH current AS',
      'INSERT INTO idempotency_keys',
      'COMMIT',
    ]);
    expect(await sent(send)).toEqual(['SELECT digest, part,']);
  });

  test('of a refusal are the look-up and what stores it', async () => {
    const send = () => w.rest.post('/contacts', { email: 'x' }, key);
    expect(await sent(send)).toEqual(['SELECT digest, part,', 'INSERT INTO idempotency_keys']);
    expect(await sent(send)).toEqual(['SELECT digest, part,']);
  });
});
