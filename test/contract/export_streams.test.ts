/** What an export does while it lasts: to itself, to others and to the database. */
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ownPage, Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
/** This many records of 16 KiB are more than sockets buffer. */
const many = 2000;
beforeAll(async () => {
  service = await startService({ env: { DATABASE_POOL: '2' } });
  w = await world(service);
  await service.database.query(
    `INSERT INTO contacts (account_id, full_name, custom_attributes)
     SELECT $1, 'Name ' || n, json_build_object('padding', repeat('x', 16000)) FROM generate_series(1, $2::int) AS n`,
    [w.accountId, many],
  );
}, 30_000);
afterAll(() => service.close());

/** Begins an export, of which nothing is read until it is asked for. */
const begin = (of = w, rest = '') =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const path = `/api/v1/accounts/${of.accountId}/contacts/export${rest}`;
    const headers = { authorization: `Bearer ${of.admin.token}` };
    const request = get(
      new URL(path, service.url),
      { headers, agent: false, rejectUnauthorized: false },
      resolve,
    );
    request.on('error', reject);
  });

async function idsIn(response: IncomingMessage): Promise<number[]> {
  let text = '';
  for await (const part of response) text += part;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line).id);
}

/** Connections of the service that have a snapshot; for a moment those of requests that were just answered, too. */
const snapshots = async () => {
  const [row] = await service.database.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'crm' AND xact_start IS NOT NULL`,
  );
  return row?.open ?? 0;
};

describe('an export', () => {
  test('is of one moment, however long it is read', async () => {
    const export_ = await begin();
    await w.rest.post('/contacts/upsert', { full_name: 'made meanwhile' });
    await service.database.query(
      'DELETE FROM contacts WHERE account_id = $1 AND id IN (SELECT max(id) - 1 FROM contacts)',
      [w.accountId],
    );
    const ids = await idsIn(export_);
    expect([ids.length, new Set(ids).size]).toEqual([many, many]);
    expect(export_.headers['x-total-count']).toBe(String(many));
    expect(await until(snapshots, (open) => open === 0, 3000)).toBe(0);
  });

  test('waits for its reader, and takes no connection that requests need', async () => {
    const waiting = [await begin(), await begin()];
    expect(await until(snapshots, (open) => open === 2, 3000)).toBe(2);
    expect(await w.rest.get('/contacts/search')).toAnswer(200);
    expect(await w.rest.post('/contacts', { full_name: 'x' })).toAnswer(201);
    const refused = await w.rest.get<{ errors: string[] }>('/contacts/export');
    expect([refused.status, refused.headers['retry-after'], refused.body.errors]).toEqual([
      429,
      '30',
      ['The account has 2 exports at work: wait until one of them is over'],
    ]);
    const other = await world(service);
    waiting.push(await begin(other));
    expect(waiting[2]?.statusCode).toBe(200);
    for (const each of waiting) each.destroy();
    expect(await until(snapshots, (open) => open === 0, 3000)).toBe(0);
    expect((await idsIn(await begin())).length).toBeGreaterThanOrEqual(many);
  });

  test('waits for its turn where all accounts together have as many as they may', async () => {
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => world(service)));
    for (const { accountId } of others) {
      await service.database.query(
        `INSERT INTO contacts (account_id, full_name, custom_attributes) SELECT $1, n::text, custom_attributes
         FROM (SELECT custom_attributes FROM contacts LIMIT 1) AS of, generate_series(1, $2::int) AS n`,
        [accountId, many],
      );
    }
    const begun: IncomingMessage[] = [];
    for (const one of others.slice(0, 4)) begun.push(await begin(one));
    const [first, , , , last] = others;
    const waiting = begin(last);
    expect(await Promise.race([waiting, first?.rest.get('/me')])).toMatchObject({ status: 200 });
    expect(await until(snapshots, (open) => open === 4, 3000)).toBe(4);
    begun[0]?.destroy();
    begun.push(await waiting);
    expect(begun.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    for (const each of begun) each.destroy();
    expect(await until(snapshots, (open) => open === 0, 3000)).toBe(0);
  });

  test('that cannot be told to the audit trail does not begin', async () => {
    const release = await service.database.hold('LOCK TABLE audit_entries IN EXCLUSIVE MODE');
    const refused = await begin();
    expect(refused.statusCode).toBe(503);
    refused.destroy();
    await release();
    expect(await until(snapshots, (open) => open === 0, 3000)).toBe(0);
  });
});

test('whoever is signed in exports from pages of the service, and from nowhere else', async () => {
  const user = await w.user({ password: 'correct horse', password_confirmation: 'correct horse' });
  const person = new Person(service.client);
  await person.signIn(user.email);
  const path = `/api/v1/accounts/${w.accountId}/users/export?format=csv`;
  const own = await person.send('GET', path, undefined, ownPage);
  expect([own.status, own.text.split('\r\n')[0]]).toEqual([
    200,
    expect.stringMatching(/^id,email/),
  ]);
  for (const site of ['cross-site', 'same-site', 'none']) {
    const { status } = await person.send('GET', path, undefined, { 'sec-fetch-site': site });
    expect([site, status]).toEqual([site, 403]);
  }
});
