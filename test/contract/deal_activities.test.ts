/** What follows of a deal from its activities: shown, searched, sorted, counted and exported, by whom they may be read. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { invalidSearch, lacking } from '../kit/refusals.ts';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { type Input, world } from '../kit/world.ts';

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const [long, lately, soon, late] = [day(-20), day(-3), day(2), day(5)];

const service = await sharedService();
const w = await world(service);
let contactId: number;
/** Deals by their names. */
const ids = new Map<string, number>();
beforeAll(async () => {
  contactId = (await w.contact({ full_name: 'Ana' })).id;
  await w.contact({ full_name: 'Without a deal' });
  const activity = (fields: Input) => ({ kind: 'activity', title: 'Call', ...fields });
  const events: Readonly<Record<string, readonly Input[]>> = {
    Bare: [],
    Noted: [{ kind: 'note', content: 'Well' }],
    Called: [activity({ done_at: lately }), activity({ done_at: long })],
    Forgotten: [activity({ done_at: long, scheduled_at: late })],
    Planned: [activity({ scheduled_at: late }), activity({ scheduled_at: soon })],
    Undated: [activity({}), activity({ done_at: long })],
  };
  for (const [name, written] of Object.entries(events)) {
    const { id } = await w.deal({ name, contact_id: contactId });
    ids.set(name, id);
    for (const event of written) {
      expect(await w.rest.post(`/deals/${id}/events`, event)).toAnswer(201);
    }
  }
});

/** How many statements have read deals since they were forgotten. */
const readings = () => service.statements.filter((text) => /FROM "deals"/.test(text)).length;

const listed = `query ($account_id: Integer!, $query: SearchQuery, $after: SearchCursor) {
  deals(account_id: $account_id, query: $query, after: $after, per_page: 4) {
    data { name last_activity_at next_step_at has_next_step }
    pagination { count next_cursor }
  }
}`;

interface Listed {
  readonly deals: {
    readonly data: readonly { readonly name: string }[];
    readonly pagination: { readonly count: number; readonly next_cursor: string | null };
  };
}

const page = (query: object, after?: string) =>
  w.graphql.data<Listed>(listed, { account_id: w.accountId, query, after });

/** All that match, from place to place. */
async function namesBy(query: object): Promise<readonly string[]> {
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const { data, pagination } = (await page(query, after)).deals;
    names.push(...data.map(({ name }) => name));
    if (pagination.next_cursor === null) return names;
    after = pagination.next_cursor;
  }
}

const nothingFor14Days = {
  g: [{ m: 'or', last_activity_at_lt: '-P14D', last_activity_at_null: true }],
};

describe('a deal', () => {
  test('shows when something was last done, what is to be done next, and whether anything is', async () => {
    service.statements.length = 0;
    const { deals } = await page({ name_in: ['Called', 'Planned', 'Undated', 'Noted'], s: 'id' });
    expect(deals.data).toEqual([
      { name: 'Noted', last_activity_at: null, next_step_at: null, has_next_step: false },
      { name: 'Called', last_activity_at: lately, next_step_at: null, has_next_step: false },
      { name: 'Planned', last_activity_at: null, next_step_at: soon, has_next_step: true },
      { name: 'Undated', last_activity_at: long, next_step_at: null, has_next_step: true },
    ]);
    expect(readings()).toBe(1);
  });

  test('shows it where it was written, and where one of its activities was', async () => {
    const own = await world(service);
    const { id } = await own.deal();
    const variables = { account_id: own.accountId, id };
    const event = `mutation ($account_id: Integer!, $id: Integer!, $input: EventInput!) {
      create_deal_event(account_id: $account_id, deal_id: $id, input: $input) {
        deal { last_activity_at next_step_at }
      }
    }`;
    for (const [fields, shown] of [
      [{ scheduled_at: late }, { last_activity_at: null, next_step_at: late }],
      [{ done_at: long }, { last_activity_at: long, next_step_at: late }],
    ]) {
      const input = { kind: 'activity', ...fields };
      const written = await own.graphql.data(event, { ...variables, input });
      expect(written).toEqual({ create_deal_event: { deal: shown } });
    }
    const update = `mutation ($account_id: Integer!, $id: Integer!, $input: DealInput!) {
      update_deal(account_id: $account_id, id: $id, input: $input) {
        closed_at last_activity_at has_next_step
      }
    }`;
    const input = { status: 'won', won_at: lately };
    expect(await own.graphql.data(update, { ...variables, input })).toEqual({
      update_deal: { closed_at: lately, last_activity_at: long, has_next_step: true },
    });
  });

  test.each([
    [{ has_next_step_false: true, s: 'name' }, 'Bare Called Forgotten Noted'],
    [{ has_next_step_eq: true, s: 'name' }, 'Planned Undated'],
    [{ next_step_at_null: true, s: 'name' }, 'Bare Called Forgotten Noted Undated'],
    [{ next_step_at_lt: 'P3D' }, 'Planned'],
    [{ last_activity_at_lt: '-P14D', s: 'name' }, 'Forgotten Undated'],
    [{ ...nothingFor14Days, s: 'name desc' }, 'Undated Planned Noted Forgotten Bare'],
    [{ s: ['last_activity_at', 'name'] }, 'Forgotten Undated Called Bare Noted Planned'],
    [{ s: ['last_activity_at desc', 'name'] }, 'Bare Noted Planned Called Forgotten Undated'],
    [{ s: ['next_step_at', 'name'] }, 'Planned Bare Called Forgotten Noted Undated'],
    [{ s: ['has_next_step desc', 'name'] }, 'Planned Undated Bare Called Forgotten Noted'],
    [{ q: 'o', has_next_step_false: true, s: 'name' }, 'Forgotten Noted'],
  ])('is found by %j, in one statement a page', async (query, names) => {
    service.statements.length = 0;
    expect((await page(query)).deals.pagination.count).toBe(names.split(' ').length);
    expect(readings()).toBe(1);
    expect(await namesBy(query)).toEqual(names.split(' '));
  });

  test('is found so from elsewhere, on boards and in summaries; where there is no deal, nothing follows', async () => {
    const answer = await w.graphql.data(
      `query ($account_id: Integer!, $pipeline: Integer!, $contact: Integer!, $bare: SearchQuery, $deals: SearchQuery, $deal: SearchQuery) {
        contacts(account_id: $account_id, query: $deals) { data { full_name } }
        contact(account_id: $account_id, id: $contact) { deals(query: $bare) { name } }
        events(account_id: $account_id, query: $deal) { pagination { count } }
        pipeline_board(account_id: $account_id, pipeline_id: $pipeline, query: $bare) { stages { count } }
        pipeline_forecast(account_id: $account_id, pipeline_id: $pipeline, query: $bare) { open }
        pipeline_funnel(account_id: $account_id, pipeline_id: $pipeline, query: $bare) { reached }
        deals_summary(account_id: $account_id, query: $bare) { count }
        summary(account_id: $account_id, of: DEALS, by: ["has_next_step"]) {
          keys { value } count smallest(of: "next_step_at") largest(of: "last_activity_at")
        }
        contacts_summary: summary(account_id: $account_id, of: CONTACTS, by: ["deals_has_next_step"]) {
          keys { value } count
        }
      }`,
      {
        account_id: w.accountId,
        pipeline: w.pipelineId,
        contact: contactId,
        bare: { has_next_step_false: true },
        deals: { deals_has_next_step_false: true },
        deal: { deal_last_activity_at_null: true },
      },
    );
    const bare = ['Bare', 'Noted', 'Called', 'Forgotten'].map((name) => ({ name }));
    expect(answer).toEqual({
      contacts: { data: [{ full_name: 'Ana' }] },
      contact: { deals: bare },
      events: { pagination: { count: 6 } },
      pipeline_board: { stages: [{ count: 4 }, { count: 0 }, { count: 0 }] },
      pipeline_forecast: [{ open: 4 }, { open: 0 }, { open: 0 }],
      pipeline_funnel: [{ reached: 4 }, { reached: 0 }, { reached: 0 }],
      deals_summary: [{ count: 4 }],
      summary: [
        { keys: [{ value: false }], count: 4, smallest: null, largest: lately },
        { keys: [{ value: true }], count: 2, smallest: soon, largest: long },
      ],
      contacts_summary: [
        { keys: [{ value: false }], count: 1 },
        { keys: [{ value: true }], count: 1 },
        { keys: [{ value: null }], count: 1 },
      ],
    });
  });

  test('is exported so, though REST searches know what it shows and no more', async () => {
    const query =
      'query[has_next_step_false]=true&query[g][0][m]=or&query[g][0][last_activity_at_lt]=-P14D';
    const sorted = '&query[g][0][last_activity_at_null]=true&query[s]=last_activity_at';
    const { text } = await w.rest.get(`/deals/export?format=csv&fields=name&${query}${sorted}`);
    expect(text).toBe('name\r\nForgotten\r\nBare\r\nNoted\r\n');
    for (const name of ['last_activity_at', 'next_step_at', 'has_next_step', 'closed_at']) {
      const query = { [`${name}_null`]: true };
      expect(await w.rest.post('/deals/search', { query })).toAnswer(
        422,
        invalidSearch(`${name}_null`),
      );
    }
  });
});

describe('who may not read events', () => {
  const own = ['deals:read', 'contacts:read', 'pipelines:read'] as const;
  const query = 'query: {last_activity_at_null: true}';

  test.each([
    `deals(<account>, ${query}) { match }`,
    'deals(<account>, query: {s: "next_step_at"}) { match }',
    'deals(<account>, query: {g: [{c: [{a: ["id", "has_next_step"], p: "null", v: [false]}]}]}) { match }',
    'deals(<account>) { data { last_activity_at } }',
    'deal(<account>, id: <deal>) { has_next_step }',
    `contact(<account>, id: <contact>) { deals(${query}) { id } }`,
    `contact(<account>, id: <contact>) { deals_count(${query}) }`,
    'contacts(<account>, query: {deals_has_next_step_false: true}) { match }',
    `pipeline_board(<account>, <pipeline>, ${query}) { stages { count } }`,
    `pipeline_forecast(<account>, <pipeline>, ${query}) { open }`,
    `pipeline_funnel(<account>, <pipeline>, ${query}) { reached }`,
    `deals_summary(<account>, ${query}) { count }`,
    `summary(<account>, of: DEALS, ${query}) { count }`,
    'summary(<account>, of: DEALS, by: ["has_next_step"]) { count }',
    'summary(<account>, of: DEALS) { distinct(of: "next_step_at") }',
    'summary(<account>, of: DEALS, on: "last_activity_at", from: "2026-01-01") { count }',
  ])('is refused %s, and told the scope', async (field) => {
    const given = field
      .replace('<account>', 'account_id: $account_id')
      .replace('<pipeline>', `pipeline_id: ${w.pipelineId}`)
      .replace('<contact>', String(contactId))
      .replace('<deal>', String(ids.get('Bare')));
    const form = `query ($account_id: Integer!) { ${given} }`;
    const scoped = new Scoped(w);
    expect(await scoped.lacked(own, form)).toEqual(['events:read']);
    expect(await scoped.lacked([...own, 'events:read'], form)).toEqual([]);
  });

  test('can neither watch nor export it', async () => {
    const token = await new Scoped(w).token(...own);
    const board = `pipeline_board(account_id: ${w.accountId}, pipeline_id: ${w.pipelineId}, ${query})`;
    const { text } = await service.client.send({
      method: 'POST',
      path: '/graphql/stream',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: `subscription { ${board} { stages { count } } }` }),
    });
    expect(text).toContain('"errors":["The token lacks the scope events:read"]');
    const exported = '/deals/export?query[has_next_step_false]=true';
    expect(await w.restAs(token).get(exported)).toAnswer(403, lacking('events:read'));
  });
});
