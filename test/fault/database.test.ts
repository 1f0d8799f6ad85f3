/** The database goes away, is slow, kills a session: 503, nothing half done, and it comes back. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { workers } from '../kit/citus.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../kit/database_proxy.ts';
import type { Answer } from '../kit/http.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: Service;
let w: World;
beforeAll(async () => {
  database = await createDatabase();
  proxy = await startDatabaseProxy(database.url);
  service = await startService({ database: { ...database, url: proxy.url } });
});
afterAll(async () => {
  proxy.mend();
  await service.close();
  await proxy.close();
  await database.close();
});
beforeEach(async () => {
  proxy.mend();
  w = await world(service);
  await until(
    () => w.rest.get('/contacts/search'),
    ({ status }) => status === 200,
    5000,
  );
});

const unavailable = {
  error: 'Service unavailable',
  code: 'unavailable',
  errors: [expect.stringMatching(/\S/)],
  request_id: expect.any(String),
};

function expectUnavailable(answer: Answer): void {
  expect(answer).toAnswer(503, unavailable);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.text).not.toMatch(/ECONN|postgres|127\.0\.0\.1|SQL|terminat/i);
}

const ready = () => service.client.send({ method: 'GET', path: '/readyz' });

describe('a database that cannot be reached', () => {
  test('is a 503 with Retry-After; /livez answers, /readyz does not; it comes back by itself', async () => {
    proxy.cut();
    expectUnavailable(await w.rest.get('/contacts/search'));
    expectUnavailable(await w.rest.post('/contacts', {}));
    expectUnavailable(await w.restAs(w.member.token).get('/contacts/1'));
    expect(await service.client.send({ method: 'GET', path: '/livez' })).toAnswer(200);
    expect((await ready()).status).toBe(503);
    const { body } = await w.graphql.send(
      `{ contacts(account_id: ${w.accountId}) { data { id } } }`,
    );
    expect(body.errors?.map((error) => error.extensions.code)).toEqual(['UNAVAILABLE']);
    proxy.mend();
    expect(
      await until(
        () => w.rest.post('/contacts', {}),
        ({ status }) => status === 201,
        5000,
      ),
    ).toAnswer(201);
    expect(await until(ready, ({ status }) => status === 200, 5000)).toAnswer(200);
  }, 20_000);

  test('a token that was not known yet is a 503, not a 401', async () => {
    const fresh = await world(service);
    proxy.cut();
    expectUnavailable(await fresh.rest.get('/contacts/1'));
    proxy.mend();
    const answer = await until(
      () => fresh.rest.get('/contacts/search'),
      ({ status }) => status === 200,
      5000,
    );
    expect(answer).toAnswer(200);
  }, 20_000);
});

test('sessions killed in the middle of writes leave nothing half done', async () => {
  const contact = await w.contact();
  const product = await w.product({ amount_in_cents: 3 });
  const deal = await w.deal({ contact_id: contact.id });
  const writes = Array.from({ length: 40 }, (_, n) =>
    n % 2 === 0
      ? w.rest.post('/deal_products', { deal_id: deal.id, product_id: product.id })
      : w.rest.post('/deals', { contact_id: contact.id, stage_id: w.stageIds[0], position: 1 }),
  );
  await database.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'crm'",
  );
  const answers = await Promise.all(writes);
  expect(
    answers.filter(({ status }) => ![201, 503].includes(status)).map(({ text }) => text),
  ).toEqual([]);
  const done = (path: string) =>
    answers.filter(({ status, asked }) => status === 201 && asked.path.endsWith(path)).length;
  const fetched = await until(
    () => w.fetchDeal(deal.id).catch(() => undefined),
    (found) => found !== undefined,
    5000,
  );
  const attached = fetched?.deal_products.length ?? 0;
  expect(attached).toBeGreaterThanOrEqual(done('/deal_products'));
  expect(fetched?.total_deal_products_amount_in_cents).toBe(3 * attached);
  const { positions } = await w.board(w.stageIds[0]);
  expect(positions).toEqual(positions.map((_, index) => index + 1));
  expect(positions.length).toBeGreaterThanOrEqual(done('/deals') + 1);
  const { events } = await w.fetchContact(contact.id);
  const count = (kind: string) => events.filter((event) => event.kind === kind).length;
  expect([count('deal_opened'), count('deal_product_added')]).toEqual([positions.length, attached]);
}, 30_000);

test('a statement that waits too long for a lock is a 503, and its work has stopped', async () => {
  // A new connection to another server, after one whose statement was stopped, takes some time by itself.
  const env = { STATEMENT_TIMEOUT: workers.length > 0 ? '4s' : '1s' };
  const slow = await startService({ database, env });
  try {
    const own = await world(slow);
    const deal = await own.deal();
    const letGo = await database.hold(
      'SELECT FROM deals WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [own.accountId, deal.id],
    );
    try {
      expectUnavailable(await own.rest.put(`/deals/${deal.id}`, { name: 'Late' }));
      expect(await database.atWork()).toEqual([]);
    } finally {
      await letGo();
    }
    expect((await own.fetchDeal(deal.id)).name).toBe('');
    expect(await own.rest.put(`/deals/${deal.id}`, { name: 'Now' })).toAnswer(200);
  } finally {
    await slow.close();
  }
}, 20_000);
