/** Two accounts whose records have the same ids, as accounts on two servers could: never mixed. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { tables } from '../kit/tables.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

const marker = 'TWIN';
/** In an order in which each row finds those that it refers to. */
const inOrder = [
  'users',
  'contacts',
  'pipelines',
  'stages',
  'products',
  'deals',
  'deal_products',
  'deal_assignees',
  'events',
  'audit_entries',
  'webhooks',
  'webhook_deliveries',
];

let service: Service;
let w: World;
let contactId: number;
let dealId: number;
let attachedId: number;
let productId: number;
/** The other account. */
let twinId: number;
let before: string;

/** Every row of the other account, as text. */
async function twin(): Promise<string> {
  const rows = await Promise.all(
    tables.map((table) =>
      service.database.query(
        `SELECT t::text AS row FROM ${table} AS t WHERE account_id = $1 ORDER BY id`,
        [twinId],
      ),
    ),
  );
  return JSON.stringify(rows);
}

/** Copies every row to the other account under its own id, marked in every text. */
async function copy(table: string): Promise<void> {
  const columns = await service.database.query<{ name: string; marked: boolean }>(
    `SELECT attname AS name, attname IN ('name', 'full_name', 'email', 'description', 'product_name', 'content') AS marked
     FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`,
    [table],
  );
  const values = columns.map(({ name, marked }) => {
    if (name === 'account_id') return '$2';
    return marked ? `'${marker}' || "${name}"` : `"${name}"`;
  });
  await service.database.query(
    `INSERT INTO ${table} (${columns.map(({ name }) => `"${name}"`).join()})
     SELECT ${values.join()} FROM ${table} WHERE account_id = $1`,
    [w.accountId, twinId],
  );
}

beforeAll(async () => {
  service = await startService();
  w = await world(service);
  const contact = await w.contact({ full_name: 'Ana', email: 'ana@example.com', label_list: 'a' });
  const deal = await w.deal({ contact_id: contact.id, name: 'Deal' });
  const product = await w.product({ name: 'Chair', amount_in_cents: 5 });
  const attached = await w.dealProduct({ deal_id: deal.id, product_id: product.id });
  [contactId, dealId, attachedId, productId] = [contact.id, deal.id, attached.id, product.id];
  const [account] = await service.database.query<{ id: number }>(
    "INSERT INTO accounts (name) VALUES ('Twin') RETURNING id",
  );
  twinId = account?.id ?? 0;
  for (const table of inOrder) await copy(table);
  before = await twin();
  expect(before).toContain(marker);
});
afterAll(() => service.close());

test('every table has its twin', () => {
  expect([...inOrder].sort()).toEqual([...tables].sort());
});

describe('reads', () => {
  test('of one record with all beneath it', async () => {
    const { deals, events } = await w.fetchContact(contactId);
    expect([deals.length, events.length]).toEqual([1, 2]);
    const deal = await w.fetchDeal(dealId);
    expect([deal.deal_products.length, deal.deal_assignees.length]).toEqual([1, 1]);
    expect((await w.fetchProduct(productId)).deal_products).toHaveLength(1);
    const attached = await w.fetchDealProduct(attachedId);
    const all = JSON.stringify([deals, events, deal, attached, await w.fetchProduct(productId)]);
    expect(all).not.toContain(marker);
    expect(all).not.toContain(`"account_id":${twinId}`);
  });

  test.each([
    ['contacts', { deals_name_cont: 'Deal' }],
    ['contacts', { deals_stage_name_eq: 'New' }],
    ['deals', { contact_full_name_cont: 'a' }],
    ['deals', { products_name_cont: 'chair' }],
    ['deals', { users_full_name_cont: 'a' }],
    ['deals', { s: 'contact_full_name desc' }],
    ['products', { deals_name_cont: 'deal' }],
    ['users', { deals_name_cont: 'deal' }],
  ])('of %s by %j', async (resource, query) => {
    const answer = await w.rest.post<{ data: unknown[]; pagination: { count: number } }>(
      `/${resource}/search`,
      { query },
    );
    expect(answer.body.pagination.count).toBe(1);
    expect(answer.body.data).toHaveLength(1);
    expect(answer.text).not.toContain(marker);
    // A text that only the other account's records have finds nothing by way of ours.
    const [key = ''] = Object.keys(query);
    if (key === 's') return;
    const theirs = await w.rest.post<{ data: unknown[] }>(`/${resource}/search`, {
      query: { [key]: marker },
    });
    expect(theirs.body.data).toEqual([]);
  });

  test('through GraphQL', async () => {
    const { text } = await w.graphql.send(
      `{ deal(account_id: ${w.accountId}, id: ${dealId}) { name creator { full_name } contact { full_name events { kind } }
         stage { name pipeline { name stages { name } } deals { name } } deal_products { product_name product { name } }
         deal_assignees { user { full_name } } } }`,
    );
    expect(text).toContain('"Ada Admin"');
    expect(text).not.toContain(marker);
  });
});

test('a token of one account does not work for the other, though its user has the same id', async () => {
  const theirs = await issue(service.database, { id: w.admin.id, account_id: twinId });
  expect(await w.restAs(theirs).get(`/contacts/${contactId}`)).toAnswer(404);
});

test('writes and deletions leave the other account as it was', async () => {
  await w.updateDeal(dealId, { name: 'Changed', status: 'won', stage_id: w.other.stageId });
  await w.rest.put(`/deal_products/${attachedId}`, { quantity: 3 });
  await w.rest.put(`/products/${productId}`, { name: 'Changed' });
  await w.rest.post('/contacts/upsert', { email: 'ana@example.com', full_name: 'Changed' });
  await w.rest.post('/deals/upsert', { contact_id: contactId, name: 'Again' });
  expect(await w.rest.delete(`/contacts/${contactId}`)).toAnswer(204);
  expect(await twin()).toBe(before);
});
