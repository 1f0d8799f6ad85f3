/**
 * How many bytes pass between the service and its database for a request: what is parsed and
 * written for it, whatever the machine and its moment.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../kit/database_proxy.ts';
import type { Answer } from '../kit/http.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let service: Service;
let w: World;
let ids: { contact: number; deal: number; product: number };
beforeAll(async () => {
  database = await createDatabase();
  proxy = await startDatabaseProxy(database.url);
  // Requests come one after the other, so that they share a connection and what it has prepared.
  const env = { DATABASE_URL: proxy.url, DATABASE_POOL: '2' };
  service = await startService({ database, env });
  w = await world(service);
  const { id: contact } = await w.contact();
  const { id: product } = await w.product();
  const { id: deal } = await w.deal({ contact_id: contact });
  for (let n = 0; n < 5; n++) await w.dealProduct({ deal_id: deal, product_id: product });
  for (let n = 0; n < 20; n++) await w.deal({ contact_id: contact });
  ids = { contact, deal, product };
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  await database.close();
});

/** Requests until everything is prepared. */
const warm = 12;

/** The least that any of ten requests took: into some falls what the service does by itself meanwhile. */
async function traffic(ask: () => Promise<Answer>) {
  for (let n = 0; n < warm; n++) await ask();
  const all: { to: number; from: number; answer: number }[] = [];
  for (let n = 0; n < 10; n++) {
    const before = proxy.traffic();
    const { status, text } = await ask();
    const after = proxy.traffic();
    expect([200, 201]).toContain(status);
    all.push({ to: after.to - before.to, from: after.from - before.from, answer: text.length });
  }
  all.sort((one, other) => one.to - other.to);
  return all[0] ?? { to: 0, from: 0, answer: 0 };
}

/** Name, bytes to the database at most, bytes beside those of the answer that come back, the request. */
test.each<[string, number, number, () => Promise<Answer>]>([
  ['a contact', 100, 150, () => w.rest.get(`/contacts/${ids.contact}`)],
  ['a deal', 100, 150, () => w.rest.get(`/deals/${ids.deal}`)],
  [
    'a page of deals',
    150,
    150,
    () => w.rest.post('/deals/search', { query: { status_eq: 'open' }, per_page: 20 }),
  ],
  ['a page of contacts', 150, 150, () => w.rest.post('/contacts/search', { per_page: 20 })],
  [
    'a new contact',
    500,
    200,
    () => w.rest.post('/contacts', { email: unique('new'), full_name: 'New' }),
  ],
  // It is read before it is written.
  ['a changed deal', 650, 600, () => w.rest.put(`/deals/${ids.deal}`, { name: unique('new') })],
  [
    'an attached product',
    650,
    200,
    () => w.rest.post('/deal_products', { deal_id: ids.deal, product_id: ids.product }),
  ],
])(
  '%s: values go to the database and no text, little more than the answer comes back',
  async (_, max, beside, ask) => {
    const { to, from, answer } = await traffic(ask);
    expect(to).toBeLessThan(max);
    // Quotes within free-form JSON are escaped on the way.
    expect(from).toBeLessThan(1.1 * answer + beside);
  },
);
