/** A request that takes too long: 503, and its work in the database has stopped. */
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../kit/database_proxy.ts';
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
  service = await startService({
    database: { ...database, url: proxy.url },
    env: { REQUEST_TIMEOUT: '1s', DATABASE_POOL: '2' },
  });
  w = await world(service);
});
afterEach(() => proxy.mend());
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.close();
});

const upsert = `mutation ($account: Integer!) {
  first: upsert_contact(account_id: $account, input: { email: "free@example.com" }) { created }
  second: upsert_contact(account_id: $account, input: { email: "held@example.com", full_name: "New" }) { created }
  third: upsert_contact(account_id: $account, input: { email: "late@example.com" }) { created }
}`;

test('a GraphQL request is refused from the field on that takes too long', async () => {
  const held = await w.contact({ email: 'held@example.com', full_name: 'Old' });
  const letGo = await database.hold(
    'SELECT FROM contacts WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, held.id],
  );
  const began = Date.now();
  const { body } = await w.graphql.send(upsert, { account: w.accountId });
  expect(Date.now() - began).toBeLessThan(3000);
  expect(body.errors?.map(({ extensions, path }) => [path, extensions?.code])).toEqual([
    [['second'], 'UNAVAILABLE'],
    [['third'], 'UNAVAILABLE'],
  ]);
  expect(await database.atWork()).toEqual([]);
  await letGo();
  const names = await database.query(
    'SELECT email, full_name FROM contacts WHERE account_id = $1 ORDER BY id',
    [w.accountId],
  );
  expect(names).toEqual([
    { email: 'held@example.com', full_name: 'Old' },
    { email: 'free@example.com', full_name: '' },
  ]);
});

const refused = {
  error: 'Service unavailable',
  code: 'unavailable',
  errors: [expect.stringMatching(/\S/)],
  request_id: expect.any(String),
};

/** What moves a deal waits for a stage, and then longer for a deal. */
async function slowMove() {
  const deal = await w.deal();
  const { stage_id } = await w.deal({ stage_id: w.stageIds[1] });
  const letGo = await database.hold('SELECT FROM stages WHERE account_id = $1 FOR UPDATE', [
    w.accountId,
  ]);
  const letGoDeal = await database.hold(
    'SELECT FROM deals WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, deal.id],
  );
  setTimeout(letGo, 700);
  return { deal, stage_id, letGo: letGoDeal };
}

test('each statement of a transaction has only what those before it left of the time', async () => {
  for (const over of ['REST', 'GraphQL'] as const) {
    const { deal, stage_id, letGo } = await slowMove();
    const began = Date.now();
    if (over === 'REST') {
      expect(await w.rest.put(`/deals/${deal.id}`, { stage_id })).toAnswer(503, refused);
    } else {
      const { body } = await w.graphql.send(
        `mutation { update_deal(account_id: ${w.accountId}, id: ${deal.id}, input: { stage_id: ${stage_id} }) { id } }`,
      );
      expect(body.errors?.map(({ extensions }) => extensions?.code)).toEqual(['UNAVAILABLE']);
    }
    expect(Date.now() - began).toBeLessThan(1600);
    const working = await database.atWork();
    await letGo();
    expect(working).toEqual([]);
  }
});

test('on a slow network no statement is sent once the time is over, and nothing of the request is done', async () => {
  const deal = await w.deal({ name: 'Here' });
  const { stage_id } = await w.deal({ stage_id: w.stageIds[1] });
  service.statements.length = 0;
  expect(await w.rest.put(`/deals/${(await w.deal()).id}`, { stage_id })).toAnswer(200);
  const whole = service.statements.length;
  proxy.lag(300);
  service.statements.length = 0;
  const moved = await w.rest.put(`/deals/${deal.id}`, { stage_id, name: 'There' });
  expect(moved).toAnswer(503, refused);
  const sent = service.statements.filter((text) => !text.startsWith('SET LOCAL'));
  expect(sent.length).toBeLessThan(whole);
  proxy.mend();
  expect(await database.atWork()).toEqual([]);
  expect(await w.fetchDeal(deal.id)).toMatchObject({ name: 'Here', stage_id: deal.stage_id });
});

test('a statement that a request has little time for is stopped when that is over', async () => {
  const contact = await w.contact({ full_name: 'Old' });
  const letGo = await database.hold(
    'SELECT FROM contacts WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, contact.id],
  );
  // The first field takes part of the time, so that the second has less than a statement has.
  const { body } = await w.graphql.send(
    `mutation ($account: Integer!, $id: Integer!) {
      first: update_contact(account_id: $account, id: ${(await slow()).id}, input: { full_name: "New" }) { id }
      second: update_contact(account_id: $account, id: $id, input: { full_name: "New" }) { id }
    }`,
    { account: w.accountId, id: contact.id },
  );
  expect(body.errors?.map(({ extensions, path }) => [path, extensions?.code])).toEqual([
    [['second'], 'UNAVAILABLE'],
  ]);
  expect(service.statements).toContainEqual(
    expect.stringMatching(/^SET LOCAL statement_timeout = [1-9]/),
  );
  const working = await database.atWork();
  await letGo();
  expect(working).toEqual([]);
  expect((await w.fetchContact(contact.id)).full_name).toBe('Old');
});

/** A contact that can be written only after some time. */
async function slow() {
  const contact = await w.contact();
  const letGo = await database.hold(
    'SELECT FROM contacts WHERE account_id = $1 AND id = $2 FOR UPDATE',
    [w.accountId, contact.id],
  );
  setTimeout(letGo, 500);
  return contact;
}

test('/readyz does not wait for the connections that requests use', async () => {
  // Alone, an account would leave a connection to others.
  const worlds = [w, await world(service)];
  const deals = await Promise.all(worlds.map((own) => own.deal()));
  const held = await Promise.all(
    worlds.map(({ accountId }) =>
      database.hold('SELECT FROM deals WHERE account_id = $1 FOR UPDATE', [accountId]),
    ),
  );
  const writes = worlds.map((own, n) => own.rest.put(`/deals/${deals[n]?.id}`, { name: 'New' }));
  expect(
    await until(
      () => database.atWork(0),
      (found) => found.length === 2,
      500,
    ),
  ).toHaveLength(2);
  const asked = service.client.send({ method: 'GET', path: '/readyz' });
  expect(await Promise.race([asked, ...writes])).toAnswer(200, { status: 'ok' });
  await Promise.all(held.map((letGo) => letGo()));
  await Promise.all(writes);
});
