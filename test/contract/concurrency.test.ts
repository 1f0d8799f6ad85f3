/** Real parallel requests, over two processes' worth of connections to one database. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { workers } from '../kit/citus.ts';
import type { Answer } from '../kit/http.ts';
import type { Contact, Deal } from '../kit/records.ts';
import { Rest } from '../kit/rest.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

/** How many requests go out at once: a machine that runs several servers answers fewer in time. */
const crowd = workers.length === 0 ? 50 : 8;

let service: Service;
/** A second service on the same database. */
let second: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  second = await startService({ database: service.database });
});
afterAll(async () => {
  await second.close();
  await service.close();
});
beforeEach(async () => {
  w = await world(service);
});

/** Sends a request several times at once, to either service in turn. */
function together<T>(times: number, request: (rest: Rest, n: number) => Promise<T>): Promise<T[]> {
  const doors = [w.rest, new Rest(second.client, w.accountId, w.admin.token)];
  return Promise.all(Array.from({ length: times }, (_, n) => request(doors[n % 2] ?? w.rest, n)));
}

/** How many answers had each status. */
function statuses(answers: readonly Answer<unknown>[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** Fails unless the deals of every stage stand at 1..n, and the stage knows how many they are. */
async function expectBoardsInOrder(): Promise<void> {
  const rows = await service.database.query<{ stage_id: number; deals_count: number }>(
    'SELECT id AS stage_id, deals_count FROM stages WHERE account_id = $1',
    [w.accountId],
  );
  for (const { stage_id, deals_count } of rows) {
    const { positions } = await w.board(stage_id);
    expect([stage_id, positions]).toEqual([stage_id, positions.map((_, index) => index + 1)]);
    expect([stage_id, deals_count]).toEqual([stage_id, positions.length]);
  }
}

test('upserts of one email at once make one contact: one 201, and 200s', async () => {
  const email = unique('race');
  const answers = await together(crowd, (rest, n) =>
    rest.post<Contact>('/contacts/upsert', { email, full_name: `Caller ${n}` }),
  );
  expect(statuses(answers)).toEqual({ 200: crowd - 1, 201: 1 });
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  expect(await w.count('contacts')).toBe(1);
});

test('upserts of one phone at once make one contact', async () => {
  const answers = await together(crowd, (rest) =>
    rest.post('/contacts/upsert', { phone: '+14155552671' }),
  );
  expect(statuses(answers)).toEqual({ 200: crowd - 1, 201: 1 });
  expect(await w.count('contacts')).toBe(1);
});

test('an upsert that waits for a contact while it gets another e-mail leaves it alone', async () => {
  const [email, next] = [unique('before'), unique('after')];
  const { id } = await w.contact({ email });
  const letGo = await service.database.hold('UPDATE contacts SET email = $2 WHERE id = $1', [
    id,
    next,
  ]);
  const answer = w.rest.post<Contact>('/contacts/upsert', { email, full_name: 'New' });
  await service.database.blocked();
  await letGo('COMMIT');
  expect(await answer).toMatchObject({ status: 201, body: { email, full_name: 'New' } });
  expect((await w.fetchContact(id)).email).toBe(next);
});

test('creations of one email at once make one contact: one 201, and 422s', async () => {
  const email = unique('race');
  const answers = await together(crowd, (rest) => rest.post('/contacts', { email }));
  expect(statuses(answers)).toEqual({ 201: 1, 422: crowd - 1 });
  expect(await w.count('contacts')).toBe(1);
});

test('deal products that come to one deal at once give the exact total', async () => {
  const [deal, product] = [await w.deal(), await w.product({ amount_in_cents: 7 })];
  const answers = await together(crowd, (rest, n) =>
    rest.post('/deal_products', { deal_id: deal.id, product_id: product.id, quantity: n + 1 }),
  );
  expect(statuses(answers)).toEqual({ 201: crowd });
  const fetched = await w.fetchDeal(deal.id);
  expect(fetched.deal_products).toHaveLength(crowd);
  expect(fetched.total_deal_products_amount_in_cents).toBe(7 * ((crowd * (crowd + 1)) / 2));
});

test('updates and additions at once give the exact total', async () => {
  const deal = await w.deal();
  const product = await w.product({ amount_in_cents: 10 });
  const attached = await Promise.all(
    Array.from({ length: 10 }, () => w.dealProduct({ deal_id: deal.id, product_id: product.id })),
  );
  const answers = await together(30, (rest, n) =>
    n % 3 === 0
      ? rest.post('/deal_products', { deal_id: deal.id, product_id: product.id })
      : rest.put(`/deal_products/${attached[n % 10]?.id}`, { quantity: n }),
  );
  expect(answers.filter(({ status }) => status >= 300)).toEqual([]);
  const fetched = await w.fetchDeal(deal.id);
  const sum = fetched.deal_products.reduce((total, each) => total + each.total_amount_in_cents, 0);
  expect(fetched.total_deal_products_amount_in_cents).toBe(sum);
  expect(fetched.deal_products).toHaveLength(20);
});

test('a deal product whose price is being raised can be removed, and the deal’s total is right', async () => {
  const { id, deal_id } = await w.dealProduct({ unit_amount_in_cents: 100 });
  const letGo = await service.database.hold(
    `WITH raised AS (UPDATE deal_products SET quantity = 50, total_amount_in_cents = 5000 WHERE id = $1)
     UPDATE deals SET total_deal_products_amount_in_cents = 5000 WHERE id = $2`,
    [id, deal_id],
  );
  const deleted = w.rest.delete(`/deal_products/${id}`);
  await service.database.blocked();
  await letGo('COMMIT');
  expect((await deleted).status).toBe(204);
  expect((await w.fetchDeal(deal_id)).total_deal_products_amount_in_cents).toBe(0);
});

test('8 users of one email make one: one 201 and 7 422s', async () => {
  const email = unique('race');
  const sent = { email, password: 'correct horse', password_confirmation: 'correct horse' };
  // Two passwords are hashed at a time: with many more requests some might not be in time.
  const answers = await together(8, (rest) => rest.post('/users', sent));
  expect(statuses(answers)).toEqual({ 201: 1, 422: 7 });
  const [row] = await service.database.query<{ count: number }>(
    'SELECT count(*) AS count FROM users WHERE email = $1',
    [email],
  );
  expect(row?.count).toBe(1);
});

test('25 upserts for one contact make one deal', async () => {
  const contact = await w.contact();
  // Each waits for all before it: with many more requests some might not be in time.
  const answers = await together(25, (rest, n) =>
    rest.post('/deals/upsert', {
      contact_id: contact.id,
      stage_id: w.stageIds[n % 3],
      name: `Deal ${n}`,
    }),
  );
  expect(statuses(answers)).toEqual({ 200: 24, 201: 1 });
  expect(await w.count('deals')).toBe(1);
  await expectBoardsInOrder();
}, 30_000);

test('20 deal upserts with one new contact’s attributes make one contact and one deal', async () => {
  const email = unique('race');
  const answers = await together(20, (rest) =>
    rest.post('/deals/upsert', { stage_id: w.stageIds[0], contact_attributes: { email } }),
  );
  expect(statuses(answers)).toEqual({ 200: 19, 201: 1 });
  expect([await w.count('contacts'), await w.count('deals')]).toEqual([1, 1]);
}, 30_000);

describe('positions', () => {
  const make = async (count: number): Promise<Deal[]> => {
    const contact = await w.contact();
    const made: Deal[] = [];
    for (let n = 0; n < count; n += 1)
      made.push(await w.deal({ contact_id: contact.id, stage_id: w.stageIds[n % 2] }));
    return made;
  };

  test('30 concurrent moves leave positions 1..n', async () => {
    const deals = await make(10);
    const answers = await together(30, (rest, n) =>
      rest.put(`/deals/${deals[(n * 7) % 10]?.id}`, {
        stage_id: w.stageIds[n % 3],
        position: (n % 5) + 1,
      }),
    );
    expect(statuses(answers)).toEqual({ 200: 30 });
    await expectBoardsInOrder();
  }, 30_000);

  test('30 concurrent moves within one stage leave positions 1..n', async () => {
    const contact = await w.contact();
    const deals: Deal[] = [];
    for (let n = 0; n < 8; n += 1) deals.push(await w.deal({ contact_id: contact.id }));
    const answers = await together(30, (rest, n) =>
      rest.put(`/deals/${deals[(n * 3) % 8]?.id}`, { position: ((n * 5) % 8) + 1 }),
    );
    expect(statuses(answers)).toEqual({ 200: 30 });
    await expectBoardsInOrder();
  }, 30_000);

  test('a deal that many move from stage to stage is found by each of them', async () => {
    const { id } = await w.deal();
    const stages = [...w.stageIds, w.other.stageId];
    const answers = await together(30, (rest, n) =>
      rest.put(`/deals/${id}`, { stage_id: stages[n % stages.length], position: 1 }),
    );
    expect(statuses(answers)).toEqual({ 200: 30 });
    await expectBoardsInOrder();
  }, 30_000);

  test.each([
    ['change', 200, (path: string) => w.rest.put(path, { stage_id: w.stageIds[2], position: 1 })],
    ['deletion', 204, (path: string) => w.rest.delete(path)],
  ])('a %s that waits for a move finds the deal where it went', async (_, status, request) => {
    const { id } = await w.deal();
    const to = w.stageIds[1];
    // The other move as it is seen by one that has locked the old stage, and waits for the deal.
    await service.database.query(
      'UPDATE stages SET deals_count = (id = $2)::int WHERE account_id = $1',
      [w.accountId, to],
    );
    const letGo = await service.database.hold('UPDATE deals SET stage_id = $2 WHERE id = $1', [
      id,
      to,
    ]);
    const answer = request(`/deals/${id}`);
    await service.database.blocked();
    await letGo('COMMIT');
    expect((await answer).status).toBe(status);
    await expectBoardsInOrder();
  });

  test('creations, moves, upserts and deletions at once keep every stage at 1..n', async () => {
    const deals = await make(12);
    const gone = await Promise.all(
      Array.from({ length: 6 }, async () => (await w.deal({ stage_id: w.stageIds[0] })).contact_id),
    );
    const contacts = await Promise.all(Array.from({ length: 6 }, () => w.contact()));
    const answers = await together(60, (rest, n) => {
      const at = { stage_id: w.stageIds[n % 3], position: (n % 4) + 1 };
      const contact_id = contacts[n % 6]?.id;
      switch (n % 5) {
        case 0:
          return rest.post('/deals', { ...at, contact_id });
        case 1:
          return rest.post('/deals', { stage_id: at.stage_id, contact_id });
        case 2:
          return rest.put(`/deals/${deals[n % 12]?.id}`, at);
        case 3:
          return rest.post('/deals/upsert', { ...at, contact_id });
        default:
          return rest.delete(`/contacts/${gone[Math.floor(n / 10)]}`);
      }
    });
    // Of two deletions of one contact the second finds it gone.
    const unexpected = answers.filter(({ status, asked }) =>
      asked.method === 'DELETE' ? ![204, 404].includes(status) : ![200, 201].includes(status),
    );
    expect(unexpected.map(({ status, text, asked }) => ({ status, text, asked }))).toEqual([]);
    await expectBoardsInOrder();
  }, 30_000);
});

test('a contact that is deleted while deals are made for it leaves none behind', async () => {
  const contacts = await Promise.all(Array.from({ length: 8 }, () => w.contact()));
  const answers = await together(48, (rest, n) => {
    const id = contacts[n % 8]?.id;
    return n >= 24 && n < 32
      ? rest.delete(`/contacts/${id}`)
      : rest.post('/deals', { stage_id: w.stageIds[0], contact_id: id });
  });
  expect(
    answers.filter(({ status }) => ![201, 204, 422].includes(status)).map(({ text }) => text),
  ).toEqual([]);
  expect(await w.count('deals')).toBe(0);
  await expectBoardsInOrder();
}, 30_000);

test('a deal for a contact that is being created finds it or is refused', async () => {
  const { id } = await w.contact();
  const answers = await together(60, (rest, n) =>
    n % 3 === 0
      ? rest.post('/contacts', {})
      : rest.post('/deals', { stage_id: w.stageIds[0], contact_id: id + 1 + Math.floor(n / 3) }),
  );
  expect(answers.filter(({ status }) => ![201, 422].includes(status))).toEqual([]);
  await expectBoardsInOrder();
});

test('an e-mail that is being given up is free or taken', async () => {
  const email = unique('given');
  for (let round = 0; round < 5; round++) {
    const { id } = await w.contact({ email });
    const answers = await together(12, (rest, n) =>
      n % 4 === 0
        ? rest.put<Contact>(`/contacts/${id}`, { email: unique('other') })
        : rest.post<Contact>('/contacts', { email }),
    );
    expect(answers.filter(({ status }) => ![200, 201, 422].includes(status))).toEqual([]);
    for (const { status, body } of answers) {
      if (status === 201) await w.rest.delete(`/contacts/${body.id}`);
    }
  }
});

test('the trail of a deleted contact names no deal that went to another contact meanwhile', async () => {
  const other = await w.contact();
  const { id, contact_id } = await w.deal();
  const letGo = await service.database.hold(
    `WITH followed AS (UPDATE events SET contact_id = $1 WHERE deal_id = $2)
     UPDATE deals SET contact_id = $1 WHERE id = $2`,
    [other.id, id],
  );
  const deleted = w.rest.delete(`/contacts/${contact_id}`);
  await service.database.blocked();
  await letGo('COMMIT');
  expect((await deleted).status).toBe(204);
  expect((await w.fetchDeal(id)).contact_id).toBe(other.id);
  const told = await service.database.query(
    `SELECT record_id FROM audit_entries WHERE account_id = $1 AND action LIKE '%.delete'`,
    [w.accountId],
  );
  expect(told).toEqual([{ record_id: contact_id }]);
});

test('updates of different fields at once lose none', async () => {
  const product = await w.product();
  const fields = [
    { name: 'n' },
    { identifier: 'i' },
    { description: 'd' },
    { amount_in_cents: 1 },
    { quantity_available: 2 },
    { custom_attributes: { a: 1 } },
  ];
  const answers = await together(6, (rest, n) => rest.put(`/products/${product.id}`, fields[n]));
  expect(statuses(answers)).toEqual({ 200: 6 });
  expect(await w.fetchProduct(product.id)).toMatchObject(Object.assign({}, ...fields));
});

test('changes of one record at once leave entries that each begin where another ended', async () => {
  const contact = await w.contact({ full_name: 'name', email: unique('chain') });
  const answers = await together(30, (rest, n) =>
    n % 3 === 0
      ? rest.post('/contacts/upsert', { email: contact.email, full_name: `name ${n}` })
      : rest.put(`/contacts/${contact.id}`, { full_name: `name ${n}` }),
  );
  expect(statuses(answers)).toEqual({ 200: 30 });
  const entries = await service.database.query<{ before: string; after: string }>(
    `SELECT before->>'full_name' AS before, after->>'full_name' AS after FROM audit_entries
     WHERE account_id = $1 AND record_id = $2 AND action = 'contact.update'`,
    [w.accountId, contact.id],
  );
  expect(entries).toHaveLength(30);
  const next = new Map(entries.map(({ before, after }) => [before, after]));
  let name = 'name';
  for (let step = 0; step < 30; step++) name = next.get(name) ?? 'lost';
  expect(name).toBe((await w.fetchContact(contact.id)).full_name);
});

test('refused requests among accepted ones leave no trace', async () => {
  const answers = await together(40, (rest, n) =>
    rest.post('/deals/upsert', {
      stage_id: n % 2 === 0 ? w.stageIds[0] : 999_999,
      contact_attributes: { email: unique('mixed') },
    }),
  );
  expect(statuses(answers)).toEqual({ 201: 20, 422: 20 });
  expect([await w.count('contacts'), await w.count('deals')]).toEqual([20, 20]);
  await expectBoardsInOrder();
});

test('a change that the database drops is not said to be done', async () => {
  const deal = await w.deal();
  await service.database.query(
    `CREATE FUNCTION dropped() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'`,
  );
  await service.database.query(
    `CREATE TRIGGER dropped BEFORE UPDATE ON deals FOR EACH ROW WHEN (NEW.id = ${deal.id}) EXECUTE FUNCTION dropped()`,
  );
  expect(await w.rest.put(`/deals/${deal.id}`, { name: 'Never' })).toAnswer(503);
});
