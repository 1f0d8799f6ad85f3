/** Fifteen operations as they look from outside and from below: request, answer, SQL. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectGolden, sqlLines } from '../kit/golden.ts';
import type { Answer } from '../kit/http.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let contact: number;
let product: number;
let deal: number;
let dealProduct: number;

// The database is new, so every id is the same in each run.
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  const person = { full_name: 'Ana Lima', email: 'ana@example.com', label_list: ['vip'] };
  contact = (await w.contact(person)).id;
  product = (await w.product({ name: 'Basic plan', amount_in_cents: 49_900 })).id;
  deal = (await w.deal({ contact_id: contact, name: 'First year' })).id;
  dealProduct = (await w.dealProduct({ deal_id: deal, product_id: product, quantity: 2 })).id;
});
afterAll(() => service.close());

const nested = `query ($account: Integer!, $id: Integer!) {
  contact(account_id: $account, id: $id) {
    full_name
    deals(limit: 2) { name stage { name } deal_products { product_name quantity } }
  }
}`;

const board = `query ($account: Integer!, $pipeline: Integer!) {
  pipeline_board(account_id: $account, pipeline_id: $pipeline) {
    stages { stage { name } count sum_in_cents deals { name } }
  }
}`;

const operations: readonly (readonly [name: string, call: () => Promise<Answer>])[] = [
  ['contact_get', () => w.rest.get(`/contacts/${contact}`)],
  [
    'contact_search',
    () =>
      w.rest.post('/contacts/search', {
        query: { full_name_cont: 'lima', s: 'email' },
        per_page: 2,
      }),
  ],
  [
    'contact_create',
    () => w.rest.post('/contacts', { full_name: 'Max Berg', phone: '+49 1511 2345678' }),
  ],
  ['contact_create_refused', () => w.rest.post('/contacts', { email: 'ana@', label_list: 7 })],
  [
    'contact_upsert',
    () => w.rest.post('/contacts/upsert', { email: 'ana@example.com', full_name: 'Ana Souza' }),
  ],
  [
    'contact_update',
    () => w.rest.put(`/contacts/${contact}`, { custom_attributes: { city: 'Rio' } }),
  ],
  ['deal_get', () => w.rest.get(`/deals/${deal}`)],
  [
    'deal_search',
    () => w.rest.post('/deals/search', { query: { contact_email_eq: 'ana@example.com' } }),
  ],
  ['deal_create', () => w.rest.post('/deals', { contact_id: contact, stage_id: w.stageIds[1] })],
  ['deal_update', () => w.rest.put(`/deals/${deal}`, { name: 'Second year' })],
  ['deal_move', () => w.rest.put(`/deals/${deal}`, { stage_id: w.stageIds[1], position: 1 })],
  ['deal_product_update', () => w.rest.put(`/deal_products/${dealProduct}`, { quantity: 3 })],
  ['product_create', () => w.rest.post('/products', { name: 'Onboarding', identifier: 'ON-1' })],
  ['graphql_nested', () => w.graphql.send(nested, { account: w.accountId, id: contact })],
  ['graphql_board', () => w.graphql.send(board, { account: w.accountId, pipeline: w.pipelineId })],
];

const block = (kind: string, text: string) => `\`\`\`${kind}\n${text}\n\`\`\`\n`;

/** JSON to read, without what differs from run to run. */
const shown = (json: string): string =>
  json === ''
    ? ''
    : block('json', JSON.stringify(JSON.parse(json), null, 2))
        .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"<time>"')
        .replaceAll(/"(admin|member)\.[\da-f-]+@/g, '"$1@')
        .replaceAll(/("request_id": )"[^"]+"/g, '$1"<id>"');

test.each(operations)('%s', async (name, call) => {
  const before = service.statements.length;
  const { asked, status, text } = await call();
  const sql = service.statements
    .slice(before)
    // A token is looked up again when it was looked up a while ago.
    .filter((statement) => !statement.includes('api_tokens'))
    .map((statement) => `${sqlLines(statement)};`);
  const { query, ...rest } = asked.body === '' ? {} : JSON.parse(asked.body);
  const isDocument = typeof query === 'string';
  const parts = [
    `${asked.method} ${asked.path}\n`,
    isDocument ? block('graphql', query) : '',
    isDocument ? shown(JSON.stringify(rest.variables)) : shown(asked.body),
    `${status}\n`,
    shown(text),
    sql.length > 0 ? block('sql', sql.join('\n\n')) : 'No SQL.\n',
  ];
  expectGolden(`test/golden/operations/${name}.md`, () => parts.filter(Boolean).join('\n'));
});

test('are fifteen', () => {
  expect(operations).toHaveLength(15);
});
