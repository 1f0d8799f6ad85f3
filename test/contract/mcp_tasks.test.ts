/**
 * Forty tasks of a sales desk, as an agent does them that has read the descriptions of the tools: each in three calls
 * at most, and nearly all in two.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Mcp } from '../kit/mcp.ts';
import type { Deal } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let agent: Mcp;
let calls = 0;
const counts: number[] = [];
let ana: number;
let deal: Deal;
let product: number;

beforeAll(async () => {
  service = await startService();
  w = await world(service);
  agent = new Mcp(service.client, await issue(service.database, w.admin, { scopes: ['*'] }));
  ({ id: ana } = await w.contact({
    full_name: 'Ana Conceição Lima',
    email: 'ana@lima.example',
    phone: '+5511987654321',
    label_list: ['vip', 'trial'],
    custom_attributes: { city: 'Rio', source: 'fair' },
  }));
  await w.contact({
    full_name: 'Bo Berg',
    email: 'bo@berg.example',
    label_list: ['trial'],
    custom_attributes: { city: 'Oslo' },
  });
  await w.contact({ full_name: 'Lima, A.', email: 'lima@old.example' });
  ({ id: product } = await w.product({
    name: 'Annual plan',
    identifier: 'PLAN',
    amount_in_cents: 120_000,
  }));
  deal = await w.deal({ name: 'Lima: annual plan', contact_id: ana, stage_id: w.stageIds[1] });
  await w.dealProduct({ deal_id: deal.id, product_id: product, quantity: 2 });
  const won = await w.deal({ name: 'Berg: pilot', stage_id: w.stageIds[2] });
  await w.rest.put(`/deals/${won.id}`, { status: 'won' });
  const lost = await w.deal({ name: 'Lost one', stage_id: w.stageIds[0] });
  await w.rest.put(`/deals/${lost.id}`, { status: 'lost', lost_reason: 'price' });
  await w.rest.post(`/deals/${deal.id}/events`, {
    kind: 'activity',
    title: 'Call back',
    scheduled_at: '2026-01-01T10:00:00Z',
  });
});
afterAll(() => service.close());

// biome-ignore lint/suspicious/noExplicitAny: what a tool answers
async function use(tool: string, args: object = {}): Promise<any> {
  calls += 1;
  return agent.use(tool, args);
}

const search = (resource: string, query: object, more: object = {}) =>
  use('search', { resource, query, ...more });
const write = (resource: string, operation: string, ...records: object[]) =>
  use('write', { resource, operation, records });
const summary = (
  of: string,
  by: readonly string[],
  more: object = {},
  figures: readonly string[] = [],
) => use('summarize', { of: 'summary', with: { of, by, ...more }, figures });
const confirmed = async (tool: string, args: object) => {
  const { confirm } = await use(tool, args);
  return use(tool, { ...args, confirm });
};

const tasks: readonly (readonly [task: string, run: () => Promise<unknown>, holds: unknown])[] = [
  [
    'who am I, and which stages are there',
    () => use('describe'),
    { me: { role: 'admin' }, pipelines: expect.any(Array) },
  ],
  [
    'which fields has a deal',
    () => use('describe', { resource: 'deals' }),
    { fields: { stage_id: expect.stringContaining('required') } },
  ],
  [
    'which custom attributes do we use',
    () => use('describe', { resource: 'contacts' }),
    { custom_attributes: ['city', 'source'] },
  ],
  [
    'who is "conceicao"',
    () => use('find', { q: 'conceicao' }),
    { contacts: [{ full_name: 'Ana Conceição Lima' }], match: 'exact' },
  ],
  [
    'find the contact with a misspelt name',
    () => use('find', { q: 'Conceicoa' }),
    { match: 'similar' },
  ],
  [
    'what is the phone of Ana',
    () => search('contacts', { full_name_cont: 'Ana' }, { fields: ['phone'] }),
    { data: [{ phone: '+5511987654321' }] },
  ],
  [
    'which contacts are from Rio',
    () => search('contacts', { 'custom_attributes.city_eq': 'Rio' }),
    { count: 1 },
  ],
  [
    'how many trials are there',
    () => search('contacts', { label_list_eq: 'trial' }, { limit: 1 }),
    { count: 2 },
  ],
  [
    'who has no deal',
    () => search('contacts', { deals_id_null: true }),
    { data: expect.arrayContaining([expect.objectContaining({ full_name: 'Bo Berg' })]) },
  ],
  [
    'open deals, the largest first',
    () => search('deals', { status_eq: 'open', s: 'total_deal_products_amount_in_cents desc' }),
    { data: [{ name: 'Lima: annual plan' }] },
  ],
  [
    'who has been spoken to when, in Talks',
    () =>
      summary(
        'EVENTS',
        ['contact_id'],
        {
          query: {
            deal_stage_name_eq: 'Talks',
            deal_status_eq: 'open',
            kind_in: ['note', 'activity'],
          },
          sort: 'largest(created_at)',
        },
        ['largest(created_at)'],
      ),
    {
      data: [
        {
          keys: [{ value: expect.any(Number), label: 'Ana Conceição Lima' }],
          largest_created_at: expect.any(String),
        },
      ],
    },
  ],
  [
    'what is overdue',
    () =>
      search('events', {
        kind_eq: 'activity',
        done_at_null: true,
        scheduled_at_lt: '2026-02-01T00:00:00Z',
      }),
    { data: [{ title: 'Call back' }] },
  ],
  [
    'everything about this deal',
    () =>
      use('get', {
        resource: 'deals',
        ids: [deal.id],
        include: ['contact', 'deal_products', 'events'],
      }),
    { data: [{ deal_products: [{ quantity: 2 }] }] },
  ],
  [
    'what happened with Ana',
    () => use('history', { resource: 'contacts', id: ana }),
    { timeline: expect.any(Array) },
  ],
  [
    'who changed the deal',
    () => use('history', { resource: 'deals', id: deal.id }),
    { trail: expect.any(Array) },
  ],
  [
    'won rate so far',
    () => use('summarize', { of: 'deals', with: { group_by: [] } }),
    { data: [{ won_rate: 0.5 }] },
  ],
  [
    'deals by stage, with their sums',
    () => use('summarize', { of: 'deals', with: { group_by: ['STAGE'] } }),
    {
      data: expect.arrayContaining([
        expect.objectContaining({ stage_name: 'Talks', sum_in_cents: 240_000 }),
      ]),
    },
  ],
  [
    'why do we lose',
    () =>
      use('summarize', {
        of: 'deals',
        with: { group_by: ['LOST_REASON'], query: { status_eq: 'lost' } },
      }),
    { data: [{ lost_reason: 'price' }] },
  ],
  [
    'contacts by city',
    () => summary('CONTACTS', ['custom_attributes.city']),
    {
      data: expect.arrayContaining([
        expect.objectContaining({
          keys: [{ by: 'custom_attributes.city', value: 'Rio', label: 'Rio' }],
        }),
      ]),
    },
  ],
  [
    'amount of open deals by owner',
    () =>
      summary('DEALS', ['created_by_id'], { query: { status_eq: 'open' } }, [
        'sum(total_deal_products_amount_in_cents)',
      ]),
    { data: [{ sum_total_deal_products_amount_in_cents: 240_000 }] },
  ],
  [
    'how far do deals get',
    () => use('summarize', { of: 'funnel', with: { pipeline_id: w.pipelineId } }),
    { data: [{ stage_name: 'New', reached: 3 }, {}, {}] },
  ],
  [
    'what are open deals likely to bring',
    () => use('summarize', { of: 'forecast', with: { pipeline_id: w.pipelineId } }),
    { data: expect.any(Array) },
  ],
  [
    'names and stages by a query of my own',
    () =>
      use('graphql', {
        query: `{ deals(account_id: ${w.accountId}, query: { status_eq: "open" }) { data { name stage { name } } } }`,
      }),
    { data: { deals: { data: [{ stage: { name: 'Talks' } }] } } },
  ],
  [
    'add a contact',
    () => write('contacts', 'create', { full_name: 'Cleo Cruz', email: 'cleo@cruz.example' }),
    { results: [{ status: 201 }] },
  ],
  [
    'add these two people, or update them',
    () =>
      write(
        'contacts',
        'upsert',
        { email: 'cleo@cruz.example', phone: '+34600000001' },
        { email: 'dora@dias.example' },
      ),
    { results: [{ status: 200 }, { status: 201 }] },
  ],
  [
    'mark Ana as a customer',
    () => write('contacts', 'update', { id: ana, label_list: ['vip', 'customer'] }),
    { results: [{ status: 200 }] },
  ],
  [
    'open a deal for Bo',
    async () => {
      const { contacts } = await use('find', { q: 'Bo Berg' });
      return write('deals', 'create', {
        name: 'Berg: more',
        contact_id: contacts[0].id,
        stage_id: w.stageIds[0],
      });
    },
    { results: [{ status: 201 }] },
  ],
  [
    'open a deal for somebody new',
    () =>
      write('deals', 'upsert', {
        name: 'Eli',
        stage_id: w.stageIds[0],
        contact_attributes: { full_name: 'Eli Eng', email: 'eli@eng.example' },
      }),
    { results: [{ status: 201 }] },
  ],
  [
    'put the plan on that deal',
    async () => {
      const { data } = await search('deals', { name_eq: 'Eli' }, { fields: ['id'] });
      return write('deal_products', 'create', {
        deal_id: data[0].id,
        product_id: product,
        quantity: 3,
      });
    },
    { results: [{ status: 201 }] },
  ],
  [
    "move Ana's deal to Offer and note why",
    async () => {
      await write('deals', 'update', { id: deal.id, stage_id: w.stageIds[2] });
      return use('note', { deal_id: deal.id, content: 'Asked for a contract' });
    },
    { status: 201 },
  ],
  [
    'remind me to call Ana on Monday',
    () =>
      use('note', {
        contact_id: ana,
        kind: 'activity',
        title: 'Call',
        content: '',
        scheduled_at: '2026-12-07T09:00:00Z',
      }),
    { status: 201 },
  ],
  [
    'tick off what is overdue',
    async () => {
      const { data } = await search('events', { title_eq: 'Call back' }, { fields: ['id'] });
      return write('events', 'update', { id: data[0].id, done: true });
    },
    { results: [{ status: 200 }] },
  ],
  [
    'win the deal',
    () => write('deals', 'update', { id: deal.id, status: 'won' }),
    { results: [{ status: 200 }] },
  ],
  [
    'what would it mean to raise the price',
    () =>
      use('write', {
        resource: 'products',
        operation: 'update',
        records: [{ id: product, amount_in_cents: 150_000 }],
        dry_run: true,
      }),
    { dry_run: true, results: [{ status: 200 }] },
  ],
  [
    'raise the price',
    () => write('products', 'update', { id: product, amount_in_cents: 150_000 }),
    { results: [{ status: 200 }] },
  ],
  [
    'assign the deal to the member',
    () => write('deal_assignees', 'create', { deal_id: deal.id, user_id: w.member.id }),
    { results: [{ status: 201 }] },
  ],
  [
    'add a stage at the end',
    () => write('stages', 'create', { pipeline_id: w.pipelineId, name: 'Signed' }),
    { results: [{ status: 201 }] },
  ],
  [
    'remove the old Lima',
    async () => {
      const { contacts } = await use('find', { q: 'lima@old.example' });
      return confirmed('remove', { resource: 'contacts', ids: [contacts[0].id] });
    },
    { results: [{ status: 204 }] },
  ],
  [
    'remove the deal of Eli',
    async () => {
      const { deals } = await use('find', { q: 'Eli' });
      return confirmed('remove', { resource: 'deals', ids: [deals[0].id] });
    },
    { results: [{ status: 204 }] },
  ],
  ['undo what you did', () => confirmed('undo', {}), { reverted: expect.any(Number) }],
];

test('there are forty', () => {
  expect(tasks.length).toBe(40);
});

test.each(tasks)('%s', async (_, run, holds) => {
  calls = 0;
  expect(await run()).toMatchObject(Object(holds));
  expect(calls).toBeLessThanOrEqual(3);
  counts.push(calls);
});

test('nearly all take two calls at most', () => {
  expect(counts.filter((count) => count <= 2).length).toBeGreaterThanOrEqual(36);
});

test('what the agent did is undone', async () => {
  const { body } = await w.rest.get<Deal>(`/deals/${deal.id}`);
  expect(body).toMatchObject({ status: 'open', stage_id: w.stageIds[1] });
  expect((await w.fetchContact(ana)).label_list).toEqual(['vip', 'trial']);
});
