/** Searches within the lists of records, and how many they find. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '../../src/auth/scopes.ts';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
let scoped: Scoped;
let contactId: number;
let dealId: number;
beforeAll(async () => {
  scoped = new Scoped(w);
  ({ id: contactId } = await w.contact({ full_name: 'Ana' }));
  const [first, second] = w.stageIds;
  for (const [name, stage_id, status] of [
    ['Desk', first, 'open'],
    ['Chair', second, 'won'],
    ['Lamp', first, 'open'],
    ['Shelf', second, 'lost'],
  ] as const) {
    const { id } = await w.deal({ contact_id: contactId, name, stage_id, status });
    dealId ||= id;
  }
  for (const title of ['one', 'two', 'three']) {
    await w.rest.post(`/deals/${dealId}/events`, { kind: 'note', title });
  }
  const { id: product_id } = await w.product({ name: 'Oak' });
  await w.rest.post('/deal_products', { deal_id: dealId, product_id, quantity: 2 });
  await w.rest.post('/deal_assignees', { deal_id: dealId, user_id: w.member.id });
});

const contact = (fields: string, variables = {}, given = '') =>
  w.graphql.data<{ contact: object }>(
    `query ${given} { contact(account_id: ${w.accountId}, id: ${contactId}) { ${fields} } }`,
    variables,
  );

describe('a list within a record', () => {
  test('has the records that match, in the order that the query asks for', async () => {
    expect(
      await contact(`deals(query: {status_eq: "open", s: "name desc"}) { name }
        first: deals(query: {s: "name"}, limit: 1, offset: 1) { name }
        sold: deals(query: {stage_name_eq: "Talks", status_not_eq: "lost"}) { name }
        none: deals(query: {name_eq: "Bed"}) { name }
        all: deals(query: {}) { name }`),
    ).toEqual({
      contact: {
        deals: [{ name: 'Lamp' }, { name: 'Desk' }],
        first: [{ name: 'Desk' }],
        sold: [{ name: 'Chair' }],
        none: [],
        all: [{ name: 'Desk' }, { name: 'Chair' }, { name: 'Lamp' }, { name: 'Shelf' }],
      },
    });
  });

  test('takes its query, limit and offset from variables', async () => {
    const given = '($query: SearchQuery, $limit: Integer)';
    const fields = 'deals(query: $query, limit: $limit) { name } deals_count(query: $query)';
    for (const [status, names] of [
      ['open', ['Desk', 'Lamp']],
      ['won', ['Chair']],
    ] as const) {
      expect(await contact(fields, { query: { status_eq: status }, limit: 5 }, given)).toEqual({
        contact: { deals: names.map((name) => ({ name })), deals_count: names.length },
      });
    }
  });

  test('is counted beside it, whole and as a query narrows it, in one statement', async () => {
    service.statements.length = 0;
    const data = await w.graphql.data(
      `query ($a: Integer!) { contacts(account_id: $a, query: {full_name_eq: "Ana"}) { data {
        deals_count open: deals_count(query: {status_eq: "open"}) events_count(query: {kind_eq: "note"})
        deals(query: {name_eq: "Desk"}) {
          events_count(query: {title_cont: "t"}) events(query: {title_cont: "t", s: "id desc"}) { title }
          deal_products_count(query: {product_name_eq: "Oak", deal_status_eq: "open"})
          deal_products(query: {quantity_gteq: 2}) { quantity }
          deal_assignees_count
          deal_assignees(query: {user_email_eq: "${w.member.email}", deal_name_eq: "Desk"}) { user { id } }
          stage { deals_count deals(query: {status_eq: "open", s: "position desc"}) { name position }
            pipeline { stages_count(query: {position_gt: 1}) stages(query: {s: "position desc"}, limit: 1) { name } } }
        }
      } } }`,
      { a: w.accountId },
    );
    expect(data).toEqual({
      contacts: {
        data: [
          {
            deals_count: 4,
            open: 2,
            events_count: 3,
            deals: [
              {
                events_count: 2,
                events: [{ title: 'three' }, { title: 'two' }],
                deal_products_count: 1,
                deal_products: [{ quantity: 2 }],
                deal_assignees_count: 2,
                deal_assignees: [{ user: { id: w.member.id } }],
                stage: {
                  deals_count: 2,
                  deals: [
                    { name: 'Lamp', position: 2 },
                    { name: 'Desk', position: 1 },
                  ],
                  pipeline: { stages_count: 2, stages: [{ name: 'Offer' }] },
                },
              },
            ],
          },
        ],
      },
    });
    expect(service.statements).toHaveLength(1);
  });

  test('is counted under any name, beside others that graphql-js resolves', async () => {
    expect(await contact('a: deals_count(query: {status_eq: "won"}) b: deals_count')).toEqual({
      contact: { a: 1, b: 4 },
    });
    const form = `query ($a: Integer!) { __schema { queryType { name } } contacts(account_id: $a) {
      data { many: deals_count deals_count(query: {status_eq: "won"}) } } }`;
    const { contacts } = await w.graphql.data<{ contacts: object }>(form, { a: w.accountId });
    expect(contacts).toEqual({ data: [{ many: 4, deals_count: 1 }] });
  });

  test('is that of what a write returns, too', async () => {
    const form = `mutation ($a: Integer!, $id: Integer!) { update_contact(account_id: $a, id: $id, input: {}) {
      deals_count(query: {status_eq: "open"}) deals(query: {status_eq: "won"}) { name } } }`;
    expect(await w.graphql.data(form, { a: w.accountId, id: contactId })).toEqual({
      update_contact: { deals_count: 2, deals: [{ name: 'Chair' }] },
    });
  });

  test('knows nothing of another account', async () => {
    const stranger = await world(service);
    await stranger.deal({ name: 'Desk' });
    const form = `query ($a: Integer!) { contacts(account_id: $a) { data {
      deals_count(query: {stage_pipeline_name_present: true, name_eq: "Desk"}) } } }`;
    for (const one of [w, stranger]) {
      const data = await one.graphql.data(form, { a: one.accountId });
      expect(data).toEqual({ contacts: { data: [{ deals_count: 1 }] } });
    }
  });
});

describe('what cannot be is told', () => {
  const refusal = async (fields: string) => {
    const form = `{ contact(account_id: ${w.accountId}, id: ${contactId}) { ${fields} } }`;
    const { body } = await w.graphql.send(form);
    return body.errors?.[0]?.extensions;
  };

  test('a query that cannot be read, by its key', async () => {
    for (const field of ['deals(query: {nam_eq: "x"}) { id }', 'deals_count(query: {nam_eq: 1})']) {
      expect(await refusal(field)).toMatchObject({
        code: 'INVALID_SEARCH',
        fields: { nam_eq: ['is not a searchable attribute (did you mean name_eq?)'] },
      });
    }
  });

  test('more conditions than one search may have, in all lists together', async () => {
    const query = (n: number) =>
      `{c: [${Array.from({ length: n }, () => '{a: "id", p: "eq", v: 1}').join()}]}`;
    const fields = (n: number) =>
      `a: deals_count(query: ${query(99)}) deals(query: ${query(n)}) { id }`;
    expect(await refusal(fields(1))).toBeUndefined();
    expect(await refusal(fields(2))).toMatchObject({
      code: 'INVALID_SEARCH',
      fields: { query: ['has more than 100 conditions in all lists together'] },
    });
  });

  test('a list that is searched costs at least ten records, as its count does', async () => {
    const cost = async (fields: string) => {
      const form = `{ contacts(account_id: ${w.accountId}, per_page: 100) { data { ${fields} } } }`;
      const { body } = await w.graphql.send(form);
      return body.errors?.[0]?.message;
    };
    const counts = (n: number) =>
      Array.from({ length: n }, (_, at) => `c${at}: deals_count(query: {id_gt: ${at}})`).join(' ');
    const lists = (n: number) =>
      Array.from(
        { length: n },
        (_, at) => `d${at}: deals(query: {id_gt: 1}, limit: 1) { id }`,
      ).join(' ');
    expect(await cost(counts(9))).toBeUndefined();
    expect(await cost(lists(9))).toBeUndefined();
    const excess = 'The document has 10100 records that it may resolve; the limit is 10000';
    expect(await cost(counts(10))).toBe(excess);
    expect(await cost(lists(10))).toBe(excess);
  });
});

describe('it takes the read scope of all that it looks at', () => {
  const ways: readonly (readonly [string, readonly Scope[], string, ...Scope[]])[] = [
    ['contact', ['contacts:read'], 'deals_count', 'deals:read'],
    [
      'contact',
      ['contacts:read', 'deals:read'],
      'deals_count(query: {stage_name_eq: "New"})',
      'pipelines:read',
    ],
    [
      'contact',
      ['contacts:read', 'deals:read'],
      'deals_count(query: {users_email_cont: "a"})',
      'users:read',
    ],
    [
      'contact',
      ['contacts:read', 'deals:read'],
      'events_count(query: {deal_name_eq: "x"})',
      'events:read',
    ],
    [
      'contact',
      ['contacts:read', 'events:read'],
      'events_count(query: {deal_name_eq: "x"})',
      'deals:read',
    ],
    ['deal', ['deals:read'], 'deal_assignees_count(query: {user_email_cont: "a"})', 'users:read'],
    [
      'deal',
      ['deals:read'],
      'deal_products_count(query: {product_amount_in_cents_eq: 1})',
      'products:read',
    ],
    [
      'deal',
      ['deals:read'],
      'deal_products { id } deal_products_count(query: {product_name_eq: "a"})',
    ],
    [
      'deal',
      ['deals:read'],
      'deal_products(query: {s: "product_description"}) { id }',
      'products:read',
    ],
    [
      'deal',
      ['deals:read', 'events:read'],
      'events(query: {contact_email_cont: "a"}) { id }',
      'contacts:read',
    ],
  ];

  test.each(ways)('of a %s with %j: %s', async (type, own, fields, ...others) => {
    const id = type === 'contact' ? contactId : dealId;
    const form = `query ($account_id: Integer!) { ${type}(account_id: $account_id, id: ${id}) { ${fields} } }`;
    // Twice, since the document is planned once for all who send it.
    for (const _ of [1, 2]) {
      expect(await scoped.lacked([...own, ...others], form)).toEqual([]);
      expect(await scoped.lacked([...own], form)).toEqual(others);
    }
  });

  test('from a variable and its default, too', async () => {
    const form = `query ($account_id: Integer!, $query: SearchQuery = {stage_name_eq: "New"}) {
      contacts(account_id: $account_id) { data { deals_count(query: $query) } } }`;
    const own = ['contacts:read', 'deals:read'] as const;
    expect(await scoped.lacked(own, form)).toEqual(['pipelines:read']);
    expect(await scoped.lacked(own, form, { query: {} })).toEqual([]);
  });
});
