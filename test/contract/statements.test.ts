/** How many statements each operation sends: pinned, and the same however much is attached. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import { sharedService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
// The token is remembered from here on, so that no count has its look-up in it.
await w.rest.get('/contacts/search');

/** A contact with a deal, to which `size` of everything are attached. */
async function build(size: number) {
  const contact = await w.contact({
    email: unique('busy'),
    label_list: Array.from({ length: size }, (_, n) => `l${n}`),
  });
  const product = await w.product({ name: unique('busy') });
  const deal = await w.deal({ contact_id: contact.id, name: unique('busy') });
  for (let n = 0; n < size; n += 1) {
    await w.deal({ contact_id: contact.id, stage_id: w.stageIds[n % 3] });
    await w.dealProduct({ deal_id: deal.id, product_id: product.id });
  }
  const attached = await w.dealProduct({ deal_id: deal.id, product_id: product.id });
  return { contact, product, deal, attached };
}

type Built = Awaited<ReturnType<typeof build>>;

/** Name, statements of a pooled call or of a transaction, the call. */
const operations: [string, number, (of: Built) => Promise<Answer>][] = [
  [
    'create a contact',
    1,
    () => w.rest.post('/contacts', { email: unique('new'), label_list: 'a,b' }),
  ],
  [
    'search contacts',
    1,
    ({ contact }) => w.rest.post('/contacts/search', { query: { email_cont: contact.email } }),
  ],
  ['get a contact', 1, ({ contact }) => w.rest.get(`/contacts/${contact.id}`)],
  ['upsert a new contact', 2, () => w.rest.post('/contacts/upsert', { email: unique('new') })],
  [
    'upsert a contact that is there',
    1,
    ({ contact }) =>
      w.rest.post('/contacts/upsert', { email: contact.email, full_name: unique('x') }),
  ],
  [
    'create a deal',
    1,
    ({ contact }) => w.rest.post('/deals', { contact_id: contact.id, stage_id: w.stageIds[0] }),
  ],
  [
    'create a deal at a place',
    4,
    ({ contact }) =>
      w.rest.post('/deals', { contact_id: contact.id, stage_id: w.stageIds[0], position: 1 }),
  ],
  [
    'search deals',
    1,
    ({ deal }) => w.rest.post('/deals/search', { query: { name_cont: deal.name } }),
  ],
  [
    'search deals by their contact',
    1,
    ({ contact }) => w.rest.post('/deals/search', { query: { contact_email_eq: contact.email } }),
  ],
  ['get a deal', 1, ({ deal }) => w.rest.get(`/deals/${deal.id}`)],
  ['update a deal', 1, ({ deal }) => w.rest.put(`/deals/${deal.id}`, { name: unique('x') })],
  ['close a deal', 2, ({ deal }) => w.rest.put(`/deals/${deal.id}`, { status: 'won' })],
  ['move a deal', 6, ({ deal }) => w.rest.put(`/deals/${deal.id}`, { stage_id: w.other.stageId })],
  [
    'upsert a deal that is there',
    6,
    ({ contact }) => w.rest.post('/deals/upsert', { contact_id: contact.id, name: unique('x') }),
  ],
  [
    'attach a product',
    1,
    ({ deal, product }) =>
      w.rest.post('/deal_products', { deal_id: deal.id, product_id: product.id }),
  ],
  ['get a deal product', 1, ({ attached }) => w.rest.get(`/deal_products/${attached.id}`)],
  [
    'update a deal product',
    3,
    ({ attached }) =>
      w.rest.put(`/deal_products/${attached.id}`, { quantity: Math.ceil(Math.random() * 1e6) + 1 }),
  ],
  ['get a product', 1, ({ product }) => w.rest.get(`/products/${product.id}`)],
  ['create a product', 1, () => w.rest.post('/products', { name: 'x' })],
  [
    'search products',
    1,
    ({ product }) => w.rest.post('/products/search', { query: { name_eq: product.name } }),
  ],
  [
    'update a product',
    1,
    ({ product }) => w.rest.put(`/products/${product.id}`, { description: unique('x') }),
  ],
  ['search users', 1, () => w.rest.post('/users/search', {})],
  [
    'create a user',
    1,
    () =>
      w.rest.post('/users', {
        email: unique('u'),
        password: 'abcdef',
        password_confirmation: 'abcdef',
      }),
  ],
  ['delete a contact', 8, ({ contact }) => w.rest.delete(`/contacts/${contact.id}`)],
];

/** Statements that a call sent; fails unless it succeeded. */
async function countOf(call: () => Promise<Answer>): Promise<number> {
  service.statements.length = 0;
  const answer = await call();
  if (answer.status >= 300)
    throw new Error(`${answer.asked.path} was answered ${answer.status} ${answer.text}`);
  // Every few seconds a token is looked up again, by whichever request comes then.
  return service.statements.filter((text) => !asksForToken(text)).length;
}

const asksForToken = (text: string) => text.includes('api_tokens');

describe('statements', () => {
  let few: Built;
  let many: Built;
  beforeAll(async () => {
    [few, many] = [await build(1), await build(30)];
  });

  test.each(operations)('to %s: %d', async (_, expected, call) => {
    const counts = [await countOf(() => call(few)), await countOf(() => call(many))];
    expect([...counts, ...service.statements]).toEqual([expected, expected, ...service.statements]);
  });
});

test('a GraphQL document of any depth reads in one statement', async () => {
  const contact = await w.contact();
  for (let n = 0; n < 5; n += 1)
    await w.dealProduct({ deal_id: (await w.deal({ contact_id: contact.id })).id });
  const document = `{ contact(account_id: ${w.accountId}, id: ${contact.id}) { deals { stage { pipeline { name } } creator { email }
    deal_products { product { name } } deal_assignees { user { full_name } } } events { kind } } }`;
  await w.graphql.data(document);
  service.statements.length = 0;
  await w.graphql.data(document);
  expect(service.statements).toHaveLength(1);
});

test('a token costs one statement, then none', async () => {
  const own = await world(service);
  const first = await countOf(() => own.rest.get('/products/search'));
  expect([first, service.statements.filter(asksForToken).length]).toEqual([1, 1]);
  const second = await countOf(() => own.rest.get('/products/search'));
  expect([second, service.statements.filter(asksForToken).length]).toEqual([1, 0]);
});

test('no statement carries a value in its text', async () => {
  const marker = 'a-value-that-must-not-be-in-a-text';
  service.statements.length = 0;
  await w.contact({
    full_name: marker,
    label_list: [marker],
    custom_attributes: { [marker]: marker },
  });
  await w.rest.post('/contacts/search', {
    query: { full_name_cont: marker, [`custom_attributes.${marker}_eq`]: marker },
  });
  expect(service.statements.length).toBeGreaterThan(1);
  expect(service.statements.filter((text) => text.includes(marker))).toEqual([]);
});
