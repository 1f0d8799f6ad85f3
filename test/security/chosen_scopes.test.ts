/** What of a call its client chooses takes scopes of its own: paths, groupings, bodies. */
import { describe, expect, test } from '@jest/globals';
import { type Scope, scopes } from '../../src/auth/scopes.ts';
import { lacking } from '../kit/refusals.ts';
import type { Rest } from '../kit/rest.ts';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const scoped = new Scoped(w);

describe('searches and groupings take the read scope of all that they touch', () => {
  /** Associations that searches follow, and where they pass. */
  const ways: readonly (readonly [of: string, way: string, own: Scope, ...others: Scope[]])[] = [
    ['contacts', 'deals', 'contacts:read', 'deals:read'],
    ['contacts', 'deals_products', 'contacts:read', 'deals:read', 'products:read'],
    ['deals', 'contact', 'deals:read', 'contacts:read'],
    ['deals', 'stage', 'deals:read', 'pipelines:read'],
    ['deals', 'pipeline', 'deals:read', 'pipelines:read'],
    ['deals', 'creator', 'deals:read', 'users:read'],
    ['deals', 'users', 'deals:read', 'users:read'],
    ['deals', 'deal_assignees', 'deals:read'],
    ['deals', 'deal_products', 'deals:read'],
    ['deals', 'products', 'deals:read', 'products:read'],
    ['deal_products', 'deal', 'deals:read'],
    ['deal_products', 'product', 'deals:read', 'products:read'],
    ['events', 'contact', 'events:read', 'contacts:read'],
    ['events', 'deal', 'events:read', 'deals:read'],
    ['products', 'deals', 'products:read', 'deals:read'],
    ['products', 'deal_products', 'products:read', 'deals:read'],
    ['stages', 'pipeline', 'pipelines:read'],
    ['users', 'deals', 'users:read', 'deals:read'],
  ];

  test.each(ways)('a search of %s by %s', async (resource, way, own, ...others) => {
    const isOne = !way.endsWith('s');
    const queries = [
      { [`${way}_created_at_gteq`]: '2026-01-01' },
      ...(isOne ? [{ s: `${way}_created_at desc` }] : []),
      {
        m: 'or',
        g: [{ id_eq: 1, g: [{ [`created_at_or_${way}_created_at_gteq`]: '2026-01-01' }] }],
      },
    ];
    for (const query of queries) {
      const both = [
        (rest: Rest) => rest.post(`/${resource}/search`, { query }),
        (rest: Rest) => rest.get(`/${resource}/search?${asUrl(query)}`),
      ];
      const form = `query ($account_id: Integer!, $query: SearchQuery) {
        ${resource}(account_id: $account_id, query: $query) { pagination { count } } }`;
      const [narrow, wide] = [await scoped.rest(own), await scoped.rest(own, ...others)];
      for (const ask of both) {
        expect(await ask(wide)).toAnswer(200);
        const answer = await ask(narrow);
        if (others.length === 0) expect(answer).toAnswer(200);
        else expect(answer).toAnswer(403, lacking(...others));
      }
      expect(await scoped.lacked([own], form, { query })).toEqual(others);
      expect(await scoped.lacked([own, ...others], form, { query })).toEqual([]);
    }
  });

  test.each<readonly [string, ...Scope[]]>([
    ['STATUS'],
    ['LOST_REASON'],
    ['MONTH'],
    ['PIPELINE', 'pipelines:read'],
    ['STAGE', 'pipelines:read'],
    ['OWNER', 'users:read'],
    ['CREATOR', 'users:read'],
    ['LABEL', 'contacts:read'],
    ['PRODUCT', 'products:read'],
  ])('deals_summary by %s', async (grouping, ...others) => {
    const form = `query ($account_id: Integer!) {
      deals_summary(account_id: $account_id, group_by: [${grouping}]) { count } }`;
    expect(await scoped.lacked(['deals:read'], form)).toEqual(others);
    expect(await scoped.lacked(['deals:read', ...others], form)).toEqual([]);
  });

  test.each([
    ['deals_summary', '{ count }', ['deals:read', 'contacts:read']],
    ['pipeline_board', '{ stages { count } }', ['deals:read', 'pipelines:read', 'contacts:read']],
    ['pipeline_funnel', '{ won }', ['deals:read', 'pipelines:read', 'contacts:read']],
    ['pipeline_forecast', '{ won }', ['deals:read', 'pipelines:read', 'contacts:read']],
  ] as const)('%s, by a search too', async (field, shown, needed) => {
    const pipeline = field === 'deals_summary' ? '' : `pipeline_id: ${w.pipelineId}`;
    const form = `query ($account_id: Integer!) {
      ${field}(account_id: $account_id, ${pipeline} query: {contact_email_start: "a"}) ${shown} }`;
    expect(await scoped.lacked([...needed], form)).toEqual([]);
    for (const one of needed) {
      const others = needed.filter((scope) => scope !== one);
      expect(await scoped.lacked([...others], form)).toEqual([one]);
    }
  });

  test('labels take contacts:read, and a timeline events:read', async () => {
    const labels =
      'query ($account_id: Integer!) { labels(account_id: $account_id) { data { count } } }';
    const timeline = `query ($account_id: Integer!) {
      contact_timeline(account_id: $account_id, contact_id: 999999999) { pagination { count } } }`;
    expect(await scoped.lacked(['deals:read'], labels)).toEqual(['contacts:read']);
    expect(await scoped.lacked(['contacts:read'], labels)).toEqual([]);
    expect(await scoped.lacked(['contacts:read'], timeline)).toEqual(['events:read']);
    expect(await scoped.lacked(['events:read'], timeline)).toEqual([]);
  });
});

describe('a body', () => {
  test('with contact_attributes takes contacts:write', async () => {
    const body = { stage_id: w.stageIds[0], contact_attributes: { email: 'scope@example.com' } };
    const narrow = await scoped.rest('deals:write', 'contacts:read');
    expect(await narrow.post('/deals/upsert', body)).toAnswer(403, lacking('contacts:write'));
    const { id } = await w.contact();
    const known = { stage_id: w.stageIds[0], contact_id: id, contact_attributes: null };
    expect(await narrow.post('/deals/upsert', known)).toAnswer(201);
    const wide = await scoped.rest('deals:write', 'contacts:write');
    expect(await wide.post('/deals/upsert', body)).toAnswer(201);
  });

  test('with reassign_to takes deals:write', async () => {
    const [user, heir] = [await w.user(), await w.user()];
    const path = `/users/${user.id}?reassign_to=${heir.id}`;
    const narrow = await scoped.rest('users:write', 'deals:read');
    expect(await narrow.delete(path)).toAnswer(403, lacking('deals:write'));
    expect(await (await scoped.rest('users:write', 'deals:write')).delete(path)).toAnswer(204);
    expect(await narrow.delete(`/users/${heir.id}`)).toAnswer(204);
  });

  test("that changes a user's e-mail, role or password takes *", async () => {
    const user = await w.user({ full_name: 'Ana' });
    const rest = await scoped.rest('users:write');
    const path = `/users/${user.id}`;
    const again = { ...user, full_name: 'Anna', role: 'member', password: undefined };
    expect(await rest.put(path, again)).toAnswer(200);
    const password = 'another horse';
    for (const change of [
      { email: 'other@example.com' },
      { role: 'admin' },
      { password, password_confirmation: password },
    ]) {
      expect(await rest.put(path, change)).toAnswer(403, lacking('*'));
    }
    expect(await (await scoped.rest('*')).put(path, { role: 'admin' })).toAnswer(200);
  });
});

test.each<readonly [string, ...Scope[]]>([
  [
    'query ($account_id: Integer!) { audit_entries(account_id: $account_id) { data { id } } }',
    'audit:read',
  ],
  [
    `mutation ($account_id: Integer!) {
      invite_user(account_id: $account_id, input: {}) { link { url } } }`,
    '*',
  ],
  [
    `mutation ($account_id: Integer!) {
      create_sign_in_link(account_id: $account_id, user_id: 999999999) { url } }`,
    '*',
  ],
  [
    `mutation ($account_id: Integer!) {
      erase_contact(account_id: $account_id, id: 999999999) { entries } }`,
    '*',
  ],
  [
    `mutation ($account_id: Integer!) {
      revert_changes(account_id: $account_id, input: {}) { reverted } }`,
    '*',
  ],
])('what GraphQL alone has: %s', async (form, needed) => {
  const all = await Promise.all(
    scopes.map(async (scope) =>
      (await scoped.lacked([scope], form)).includes(needed) ? [] : scope,
    ),
  );
  const reading: readonly Scope[] = ['*', 'read', 'audit:read', 'audit:write'];
  expect(all.flat()).toEqual(needed === '*' ? ['*'] : reading);
});

/** A query as the query string of a search has it. */
const asUrl = (value: unknown, name = 'query'): string =>
  typeof value === 'object' && value !== null
    ? Object.entries(value)
        .map(([key, inner]) => asUrl(inner, `${name}[${key}]`))
        .join('&')
    : `${name}=${encodeURIComponent(String(value))}`;
