/** What `summary` takes, shows and refuses; `figures.sized.test.ts` compares what it counts. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Scope } from '../../src/auth/scopes.ts';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
let scoped: Scoped;
let productId: number;
beforeAll(async () => {
  scoped = new Scoped(w);
  const { id: contact_id } = await w.contact({
    full_name: 'Ana',
    label_list: ['vip', 'new'],
    custom_attributes: { source: 'web' },
  });
  ({ id: productId } = await w.product({ name: 'Oak', amount_in_cents: 500 }));
  const [first, second, third] = w.stageIds;
  for (const [quantity, status, stage_id] of [
    [1, 'open', first],
    [2, 'won', second],
    [3, 'lost', third],
    [4, 'open', first],
  ] as const) {
    const { id: deal_id } = await w.deal({ contact_id, status, stage_id });
    for (const one of [quantity, 1]) {
      await w.rest.post('/deal_products', { deal_id, product_id: productId, quantity: one });
    }
  }
  await service.database.query(
    `UPDATE deals SET created_at = '2026-03-03T10:00Z', won_at = CASE WHEN status = 'won' THEN timestamptz '2026-05-01T00:30Z' END
     WHERE account_id = $1`,
    [w.accountId],
  );
});

const groups = async (given: string, shown: string) =>
  (
    await w.graphql.data<{ summary: readonly object[] }>(
      `{ summary(account_id: ${w.accountId}, ${given}) { ${shown} } }`,
    )
  ).summary;

const group = (value: unknown, label: unknown, rest: object) => ({
  keys: [{ value, label }],
  ...rest,
});

describe('a group', () => {
  test('says what it is grouped by, in the order of the names, in one statement', async () => {
    service.statements.length = 0;
    const key = (by: string, value: unknown, label = value) => ({ by, value, label });
    expect(
      await groups(
        'of: DEALS, by: ["stage_name", "created_at.month", "status"]',
        'keys { by value label } count',
      ),
    ).toEqual(
      [
        ['New', 'open', 2],
        ['Talks', 'won', 1],
        ['Offer', 'lost', 1],
      ].map(([stage, status, count]) => ({
        keys: [
          key('stage_name', stage),
          key('created_at.month', '2026-03-01', '2026-03'),
          key('status', status),
        ],
        count,
      })),
    );
    expect(service.statements).toHaveLength(1);
  });

  test.each([
    ['day', '2026-03-03', '2026-03-03'],
    ['week', '2026-03-02', '2026-W10'],
    ['month', '2026-03-01', '2026-03'],
    ['quarter', '2026-01-01', '2026-Q1'],
    ['year', '2026-01-01', '2026'],
  ])('of a %s has its first day and its name', async (unit, value, label) => {
    expect(
      await groups(`of: DEALS, by: ["created_at.${unit}"]`, 'keys { value label } count'),
    ).toEqual([group(value, label, { count: 4 })]);
  });

  test('has measures under the names of the document', async () => {
    const amount = 'of: "total_deal_products_amount_in_cents"';
    expect(
      await groups(
        'of: DEALS, by: ["contact_full_name"]',
        `keys { value label } count sum(${amount}) mean: average(${amount}) a: average(of: "position")
        smallest(of: "created_at") largest(${amount}) last: largest(of: "won_at") none: smallest(of: "lost_at", )
        distinct(of: "status") labels: distinct(of: "contact_label_list") ... on SummaryGroup { products: distinct(of: "products_id") }`,
      ),
    ).toEqual([
      group('Ana', 'Ana', {
        ...{ count: 4, sum: 7000, mean: 1750, a: 1.25, smallest: '2026-03-03T10:00:00.000Z' },
        ...{ largest: 2500, last: '2026-05-01T00:30:00.000Z', none: expect.any(String) },
        ...{ distinct: 3, labels: 2, products: 1 },
      }),
    ]);
  });

  test('of an id is called by the name of its record where the token may read that', async () => {
    const form = `query ($a: Integer!) { summary(account_id: $a, of: DEAL_PRODUCTS, by: ["product_id"]) {
      keys { value label } count } }`;
    const variables = { a: w.accountId };
    expect(await w.graphql.data(form, variables)).toEqual({
      summary: [group(productId, 'Oak', { count: 8 })],
    });
    const narrow = w.graphqlAs(await scoped.token('deals:read'));
    expect(await narrow.data(form, variables)).toEqual({
      summary: [group(productId, String(productId), { count: 8 })],
    });
  });

  test('counts a record once where its path leads to the same value twice', async () => {
    expect(
      await groups(
        'of: DEALS, by: ["deal_products_product_id"]',
        'count sum(of: "total_deal_products_amount_in_cents")',
      ),
    ).toEqual([{ count: 4, sum: 7000 }]);
    expect(
      await groups(
        'of: CONTACTS, by: ["deals_status"]',
        'keys { value } count distinct(of: "deals_id")',
      ),
    ).toEqual([
      { keys: [{ value: 'lost' }], count: 1, distinct: 1 },
      { keys: [{ value: 'open' }], count: 1, distinct: 2 },
      { keys: [{ value: 'won' }], count: 1, distinct: 1 },
    ]);
  });

  test('counts a record with several labels for each of them; custom attributes by their text', async () => {
    expect(
      await groups(
        'of: CONTACTS, by: ["label_list", "custom_attributes.source"]',
        'keys { value label } count distinct(of: "label_list")',
      ),
    ).toEqual(
      ['new', 'vip'].map((label) => ({
        keys: [
          { value: label, label },
          { value: 'web', label: 'web' },
        ],
        count: 1,
        distinct: 1,
      })),
    );
  });

  test('of an empty text, and of none, is null', async () => {
    expect(
      await groups(
        'of: DEALS, by: ["lost_reason", "custom_attributes.x"]',
        'keys { value label } count',
      ),
    ).toEqual([
      {
        keys: [
          { value: null, label: null },
          { value: null, label: null },
        ],
        count: 4,
      },
    ]);
  });

  test('that is filled in has nothing; the rest counts a record once for each of its groups', async () => {
    const shown =
      'keys { label } is_rest count sum(of: "position") average(of: "position") distinct(of: "id")';
    const empty = { is_rest: false, count: 0, sum: 0, average: null, distinct: null };
    expect(
      await groups(
        'of: DEALS, by: ["created_at.month"], fill: true, from: "2026-01-31", to: "2026-03-31"',
        shown,
      ),
    ).toEqual([
      { keys: [{ label: '2026-01' }], ...empty },
      { keys: [{ label: '2026-02' }], ...empty },
      {
        keys: [{ label: '2026-03' }],
        is_rest: false,
        count: 4,
        sum: 5,
        average: 1.25,
        distinct: 4,
      },
    ]);
    expect(
      await groups('of: DEALS, by: ["contact_label_list"], limit: 1, sort: "count"', shown),
    ).toEqual(
      [
        [{ label: 'new' }, false],
        [{ label: null }, true],
      ].map(([key, is_rest]) => ({
        ...{ keys: [key], is_rest, count: 4, sum: 5, average: 1.25, distinct: 4 },
      })),
    );
  });

  test('sorted by a measure that is not shown, and between days of another moment', async () => {
    const shown = 'keys { label } count';
    expect(
      await groups(
        'of: DEALS, by: ["stage_id"], sort: "largest(total_deal_products_amount_in_cents)"',
        shown,
      ),
    ).toEqual([
      { keys: [{ label: 'New' }], count: 2 },
      { keys: [{ label: 'Offer' }], count: 1 },
      { keys: [{ label: 'Talks' }], count: 1 },
    ]);
    const day =
      'of: DEALS, by: ["created_at.day"], on: "closed_at", time_zone: "America/Sao_Paulo"';
    expect(await groups(`${day}, from: "2026-04-30", to: "2026-04-30"`, shown)).toEqual([
      { keys: [{ label: '2026-03-03' }], count: 1 },
    ]);
    expect(await groups(`${day}, from: "2026-05-01", to: "2026-05-01"`, shown)).toEqual([]);
  });

  test('is one of all without names, whether there is a record or not', async () => {
    expect(await groups('of: USERS', 'keys { by } count is_rest')).toEqual([
      { keys: [], count: 2, is_rest: false },
    ]);
    expect(
      await groups('of: USERS, query: {id_eq: 1}', 'count sum(of: "id") smallest(of: "id")'),
    ).toEqual([{ count: 0, sum: 0, smallest: null }]);
  });
});

describe('deals_summary shows the records that it groups by', () => {
  test('with what is selected of them', async () => {
    const { deals_summary } = await w.graphql.data<{ deals_summary: readonly object[] }>(
      `{ deals_summary(account_id: ${w.accountId}, group_by: [STAGE, OWNER, PRODUCT, PIPELINE], query: {status_eq: "won"}) {
        count stage { name pipeline { name } deals_count } owner { full_name created_at } product { name } pipeline { id } creator { id }
      } }`,
    );
    expect(deals_summary).toEqual([
      {
        count: 1,
        stage: { name: 'Talks', pipeline: { name: 'Sales' }, deals_count: 1 },
        owner: { full_name: 'Ada Admin', created_at: expect.stringMatching(/Z$/) },
        product: { name: 'Oak' },
        pipeline: { id: w.pipelineId },
        creator: null,
      },
    ]);
  });

  test('and takes the read scope of their types', async () => {
    const form = `query ($account_id: Integer!) { deals_summary(account_id: $account_id) { count stage { id } } }`;
    expect(await scoped.lacked(['deals:read'], form)).toEqual(['pipelines:read']);
  });
});

describe('what cannot be is told by argument', () => {
  const refused = async (given: string, shown = 'count') => {
    const { body } = await w.graphql.send(
      `{ summary(account_id: ${w.accountId}, ${given}) { ${shown} } }`,
    );
    const { code, fields } = body.errors?.[0]?.extensions ?? {};
    expect(code).toBe('INVALID_SEARCH');
    return fields;
  };

  test('all of it at once, with the nearest names', async () => {
    expect(
      await refused(
        `of: DEALS, by: ["stage_nam", "created_at", "closed_at.hour", "status"], on: "name", sort: "sum(statu)", fill: true,
        query: {nam_eq: 1}, from: "2026-02-30", limit: 0, time_zone: "CET"`,
        'sum(of: "name") average(of: "deal_products_quantity") largest(of: "status") distinct(of: "nam")',
      ),
    ).toEqual({
      nam_eq: ['is not a searchable attribute (did you mean name_eq?)'],
      by: [
        '"stage_nam" is not a searchable attribute (did you mean stage_name?)',
        '"created_at" is a moment, and needs a period, such as created_at.month',
        '"closed_at.hour" has no such period (day, week, month, quarter, year), such as closed_at.month',
      ],
      'sum.of': ['"name" is not a number'],
      'average.of': [
        '"deal_products_quantity" is behind a path to several records, of which only distinct tells something',
      ],
      'largest.of': ['"status" is neither a number nor a moment'],
      'distinct.of': ['"nam" is not a searchable attribute (did you mean name?)'],
      sort: ['"statu" is not a searchable attribute (did you mean status?)'],
      on: ['must be a moment, such as created_at'],
      time_zone: ['must be an IANA time zone, such as America/Sao_Paulo'],
      from: ['must be a day, such as 2026-03-01'],
      limit: ['must be greater than or equal to 1'],
      fill: [
        'needs one of a moment with its period, such as created_at.month, in by, and one alone',
      ],
    });
  });

  test('a query that sorts', async () => {
    expect(await refused('of: CONTACTS, query: {s: "id"}')).toEqual({
      s: ['cannot be used here: the order is fixed'],
    });
  });

  test('too many names, a name twice, a sort that is no measure', async () => {
    expect(
      await refused('of: DEALS, by: ["id", "name", "status", "stage_id", "position"]'),
    ).toEqual({
      by: ['has more than 4 names'],
    });
    expect(await refused('of: DEALS, by: ["name", "name"], sort: "sum"')).toEqual({
      by: ['has "name" twice'],
      sort: ['must be count or a measure, such as sum(amount_in_cents) (did you mean sum?)'],
    });
    expect(await refused('of: EVENTS, sort: "avg(id)"')).toEqual({
      sort: ['must be count or a measure, such as sum(amount_in_cents)'],
    });
  });

  test('more groups than an answer has, and a sum that JSON would not carry exactly', async () => {
    expect(
      await refused('of: DEALS, by: ["created_at.day"], fill: true, from: "1900-01-01"'),
    ).toEqual({
      fill: ['makes more than 10000 groups: group by less, or narrow the query'],
    });
    await service.database.query(
      'UPDATE products SET quantity_available = $2 WHERE account_id = $1',
      [w.accountId, 2 ** 53 - 1],
    );
    await w.product({ quantity_available: 2 ** 53 - 1 });
    const { body } = await w.graphql.send(
      `{ summary(account_id: ${w.accountId}, of: PRODUCTS) { count sum(of: "quantity_available") } }`,
    );
    expect(body.errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
  });
});

describe('it takes the read scope of all that its names touch', () => {
  const own: Readonly<Record<string, Scope>> = {
    CONTACTS: 'contacts:read',
    DEALS: 'deals:read',
    DEAL_PRODUCTS: 'deals:read',
    EVENTS: 'events:read',
    PRODUCTS: 'products:read',
    USERS: 'users:read',
  };
  const names: readonly (readonly [string, string, ...Scope[]])[] = [
    ['CONTACTS', 'label_list'],
    ['CONTACTS', 'custom_attributes.x'],
    ['CONTACTS', 'deals_status', 'deals:read'],
    ['CONTACTS', 'deals_stage_name', 'deals:read', 'pipelines:read'],
    ['CONTACTS', 'deals_closed_at.month', 'deals:read'],
    ['DEALS', 'created_by_id'],
    ['DEALS', 'stage_id'],
    ['DEALS', 'contact_full_name', 'contacts:read'],
    ['DEALS', 'contact_label_list', 'contacts:read'],
    ['DEALS', 'contact_custom_attributes.x', 'contacts:read'],
    ['DEALS', 'contact_created_at.year', 'contacts:read'],
    ['DEALS', 'stage_name', 'pipelines:read'],
    ['DEALS', 'pipeline_name', 'pipelines:read'],
    ['DEALS', 'creator_full_name', 'users:read'],
    ['DEALS', 'users_email', 'users:read'],
    ['DEALS', 'deal_assignees_user_id'],
    ['DEALS', 'deal_products_product_name'],
    ['DEALS', 'products_name', 'products:read'],
    ['DEAL_PRODUCTS', 'deal_status'],
    ['DEAL_PRODUCTS', 'product_name'],
    ['DEAL_PRODUCTS', 'product_description', 'products:read'],
    ['DEAL_PRODUCTS', 'deal_closed_at.month'],
    ['EVENTS', 'kind'],
    ['EVENTS', 'deal_stage_name', 'deals:read', 'pipelines:read'],
    ['EVENTS', 'contact_email', 'contacts:read'],
    ['PRODUCTS', 'deals_status', 'deals:read'],
    ['PRODUCTS', 'deal_products_quantity', 'deals:read'],
    ['USERS', 'role'],
    ['USERS', 'deals_status', 'deals:read'],
  ];

  test.each(names)('of %s by %s', async (of, name, ...others) => {
    const scope = own[of] ?? '*';
    const uses = [`by: ["${name}"]) { keys { label } count }`];
    const [attribute = '', unit] = name.split('.');
    const isMoment = unit !== undefined && unit !== 'x';
    const whole = isMoment ? attribute : name;
    uses.push(`sort: "distinct(${whole})") { count }`, `of: ${of}) { distinct(of: "${whole}") }`);
    if (isMoment) uses.push(`on: "${attribute}", from: "2026-01-01") { count }`);
    for (const use of uses) {
      const given = use.startsWith('of:') ? use : `of: ${of}, ${use}`;
      const form = `query ($account_id: Integer!) { summary(account_id: $account_id, ${given} }`;
      expect([use, await scoped.lacked([scope], form)]).toEqual([use, others]);
      const wide = w.graphqlAs(await scoped.token(scope, ...others));
      expect(await wide.data(form, { account_id: w.accountId })).toEqual({
        summary: expect.any(Array),
      });
    }
  });

  test.each(Object.entries(own))('of %s the scope of the records themselves', async (of, scope) => {
    const form = `query ($account_id: Integer!) { summary(account_id: $account_id, of: ${of}) { count } }`;
    expect(await scoped.lacked(['audit:read'], form)).toEqual([scope]);
    expect(await scoped.lacked([scope], form)).toEqual([]);
  });
});
