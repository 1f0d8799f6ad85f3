/**
 * Forty tasks of a sales desk, as an agent does them that has described the account once, as it is told to: each in
 * three calls at most, and nearly all in two. A task begins with nothing but what people call the records.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { Mcp } from '../kit/mcp.ts';
import type { Deal } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
let agent: Mcp;
let calls = 0;
const counts: number[] = [];
let ana: number;
let deal: Deal;
/** What `describe` said when the agent connected. */
let known: {
  readonly stages: Readonly<Record<string, number>>;
  readonly pipeline: number;
  readonly member: number;
};

beforeAll(async () => {
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
  const { id: product } = await w.product({
    name: 'Annual plan',
    identifier: 'PLAN',
    amount_in_cents: 120_000,
  });
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
  const resting = await w.deal({ name: 'Rui: resting', stage_id: w.stageIds[1] });
  const spoken = await w.rest.post<{ id: number }>(`/deals/${resting.id}/events`, {
    kind: 'note',
    content: 'Spoke to Rui',
  });
  await service.database.query(
    'UPDATE events SET created_at = $3 WHERE account_id = $1 AND id = $2',
    [w.accountId, spoken.body.id, new Date(Date.now() - 31 * 24 * 60 * 60_000)],
  );
  known = knownFrom(await agent.use('describe'));
});

interface Described {
  readonly pipelines: readonly {
    readonly id: number;
    readonly stages: readonly { readonly id: number; readonly name: string }[];
  }[];
  readonly users: readonly { readonly id: number; readonly email: string }[];
}

function knownFrom({ pipelines, users }: Described): typeof known {
  const pipeline = pipelines.find(({ stages }) => stages.some(({ name }) => name === 'Talks'));
  return {
    stages: Object.fromEntries((pipeline?.stages ?? []).map(({ id, name }) => [name, id])),
    pipeline: pipeline?.id ?? 0,
    member: users.find(({ email }) => email === w.member.email)?.id ?? 0,
  };
}

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
/** The id of the first record of a kind that words lead to. */
async function idOf(kind: 'contacts' | 'deals' | 'products', q: string): Promise<number> {
  return (await use('find', { q }))[kind][0].id;
}
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
    { data: [{ name: 'Lima: annual plan' }, { name: 'Rui: resting' }] },
  ],
  [
    'who has not been spoken to for 30 days in Talks',
    async () => {
      const since = new Date(Date.now() - 30 * 86_400_000).toISOString();
      const spoken = `events_count(query: {created_at_gteq: "${since}", kind_in: ["note", "activity"]})`;
      const { data } = await use('graphql', {
        query: `{ deals(account_id: ${w.accountId}, query: {stage_name_eq: "Talks", status_eq: "open"}, per_page: 100) {
          data { name contact { full_name } ${spoken} } } }`,
      });
      return data.deals.data.filter(
        ({ events_count }: { events_count: number }) => events_count === 0,
      );
    },
    [{ name: 'Rui: resting', contact: { full_name: expect.any(String) } }],
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
    'everything about the deal with Ana',
    async () =>
      use('get', {
        resource: 'deals',
        ids: [await idOf('deals', 'Lima')],
        include: ['contact', 'deal_products', 'events'],
      }),
    { data: [{ deal_products: [{ quantity: 2 }] }] },
  ],
  [
    'what happened with Ana',
    async () => use('history', { resource: 'contacts', id: await idOf('contacts', 'ana lima') }),
    { timeline: expect.any(Array) },
  ],
  [
    'who changed the deal with Ana',
    async () => use('history', { resource: 'deals', id: await idOf('deals', 'Lima') }),
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
    () => use('summarize', { of: 'funnel', with: { pipeline_id: known.pipeline } }),
    { data: [{ stage_name: 'New', reached: 4 }, {}, {}] },
  ],
  [
    'what are open deals likely to bring',
    () => use('summarize', { of: 'forecast', with: { pipeline_id: known.pipeline } }),
    { data: expect.any(Array) },
  ],
  [
    'names and stages by a query of my own',
    () =>
      use('graphql', {
        query: `{ deals(account_id: ${w.accountId}, query: { status_eq: "open" }) { data { name stage { name } } } }`,
      }),
    { data: { deals: { data: [{ stage: { name: 'Talks' } }, { stage: { name: 'Talks' } }] } } },
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
    async () =>
      write('contacts', 'update', {
        id: await idOf('contacts', 'ana lima'),
        label_list: ['vip', 'customer'],
      }),
    { results: [{ status: 200 }] },
  ],
  [
    'open a deal for Bo',
    async () =>
      write('deals', 'create', {
        name: 'Berg: more',
        contact_id: await idOf('contacts', 'Bo Berg'),
        stage_id: known.stages.New,
      }),
    { results: [{ status: 201 }] },
  ],
  [
    'open a deal for somebody new',
    () =>
      write('deals', 'upsert', {
        name: 'Eli',
        stage_id: known.stages.New,
        contact_attributes: { full_name: 'Eli Eng', email: 'eli@eng.example' },
      }),
    { results: [{ status: 201 }] },
  ],
  [
    'put the annual plan on the deal of Eli',
    async () => {
      const of = `account_id: ${w.accountId}, query:`;
      const { data } = await use('graphql', {
        query: `{ deals(${of} {name_eq: "Eli"}) { data { id } } products(${of} {name_eq: "Annual plan"}) { data { id } } }`,
      });
      return write('deal_products', 'create', {
        deal_id: data.deals.data[0].id,
        product_id: data.products.data[0].id,
        quantity: 3,
      });
    },
    { results: [{ status: 201 }] },
  ],
  [
    "move Ana's deal to Offer and note why",
    async () => {
      const { data } = await search('deals', { contact_full_name_cont: 'Ana', status_eq: 'open' });
      const [{ id }] = data;
      await write('deals', 'update', { id, stage_id: known.stages.Offer });
      return use('note', { deal_id: id, content: 'Asked for a contract' });
    },
    { status: 201 },
  ],
  [
    'remind me to call Ana on Monday',
    async () =>
      use('note', {
        contact_id: await idOf('contacts', 'ana lima'),
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
    'win the deal with Ana',
    async () => write('deals', 'update', { id: await idOf('deals', 'Lima'), status: 'won' }),
    { results: [{ status: 200 }] },
  ],
  [
    'what would it mean to raise the price of the annual plan',
    async () =>
      use('write', {
        resource: 'products',
        operation: 'update',
        records: [{ id: await idOf('products', 'annual plan'), amount_in_cents: 150_000 }],
        dry_run: true,
      }),
    { dry_run: true, results: [{ status: 200 }] },
  ],
  [
    'raise the price of the annual plan',
    async () =>
      write('products', 'update', {
        id: await idOf('products', 'annual plan'),
        amount_in_cents: 150_000,
      }),
    { results: [{ status: 200 }] },
  ],
  [
    'assign the deal with Ana to the member',
    async () =>
      write('deal_assignees', 'create', {
        deal_id: await idOf('deals', 'Lima'),
        user_id: known.member,
      }),
    { results: [{ status: 201 }] },
  ],
  [
    'add a stage at the end',
    () => write('stages', 'create', { pipeline_id: known.pipeline, name: 'Signed' }),
    { results: [{ status: 201 }] },
  ],
  [
    "merge the two Lima's",
    async () => {
      const { data } = await search('contacts', { full_name_cont: 'Lima', s: 'id' });
      const [into, ...others] = data.map(({ id }: { id: number }) => id);
      return confirmed('remove', { resource: 'contacts', ids: others, into });
    },
    { full_name: 'Ana Conceição Lima', email: 'ana@lima.example' },
  ],
  [
    'remove the deal of Eli',
    async () => confirmed('remove', { resource: 'deals', ids: [await idOf('deals', 'Eli')] }),
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
  const { data } = await agent.use('search', {
    resource: 'contacts',
    query: { full_name_cont: 'Lima' },
  });
  expect(data.length).toBe(2);
});
