/** Who wrote an event, and which deals nobody will come back to. */
import { describe, expect, test } from '@jest/globals';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

describe('deals_without_next_step', () => {
  const asked = `query ($account_id: Integer!, $query: SearchQuery, $page: Integer, $per_page: Integer) {
    deals_without_next_step(account_id: $account_id, query: $query, page: $page, per_page: $per_page) {
      data { name }
      pagination { page items count pages from to prev next }
    }
  }`;

  test('open deals that match and have no activity to be done, the largest first, in pages', async () => {
    const w = await world(service);
    const activity = { kind: 'activity', title: 'Call' };
    const deals = new Map<string, number>();
    for (const name of ['Bare', 'Large', 'Planned', 'Called', 'Noted', 'Won']) {
      deals.set(name, (await w.deal({ name })).id);
    }
    const on = (name: string) => `/deals/${deals.get(name)}/events`;
    expect(await w.rest.post(on('Planned'), activity)).toAnswer(201);
    expect(await w.rest.post(on('Called'), { ...activity, done: true })).toAnswer(201);
    expect(await w.rest.post(on('Noted'), { kind: 'note', content: 'Well' })).toAnswer(201);
    await w.updateDeal(deals.get('Won') ?? 0, { status: 'won' });
    const product = await w.product({ amount_in_cents: 500 });
    await w.dealProduct({ deal_id: deals.get('Large') ?? 0, product_id: product.id });
    const variables = { account_id: w.accountId, per_page: 3 };
    service.statements.length = 0;
    expect(await w.graphql.data(asked, variables)).toEqual({
      deals_without_next_step: {
        data: [{ name: 'Large' }, { name: 'Noted' }, { name: 'Called' }],
        pagination: { page: 1, items: 3, count: 4, pages: 2, from: 1, to: 3, prev: null, next: 2 },
      },
    });
    expect(service.statements).toHaveLength(1);
    const query = { q: 'bare' };
    expect(await w.graphql.data(asked, { ...variables, query })).toMatchObject({
      deals_without_next_step: { data: [{ name: 'Bare' }] },
    });
  });

  test('takes the scopes of deals and events, and of what the search touches', async () => {
    const w = await world(service);
    const scoped = new Scoped(w);
    const form = asked.replace('data { name }', '');
    expect(await scoped.lacked(['deals:read'], form)).toEqual(['events:read']);
    expect(await scoped.lacked(['events:read'], form)).toEqual(['deals:read']);
    const both = ['deals:read', 'events:read'] as const;
    expect(await scoped.lacked(both, form)).toEqual([]);
    const query = { contact_email_start: 'a' };
    expect(await scoped.lacked(both, form, { query })).toEqual(['contacts:read']);
  });

  test('refuses a sort, and a page that cannot be read', async () => {
    const w = await world(service);
    const variables = { account_id: w.accountId, query: { s: 'id' }, page: 0 };
    const { body } = await w.graphql.send(asked, variables);
    expect(body.errors?.[0]?.extensions).toMatchObject({
      code: 'INVALID_SEARCH',
      fields: { s: ['cannot be used here: the order is fixed'], page: [expect.any(String)] },
    });
  });
});

describe('the author of an event', () => {
  const asked = `query ($account_id: Integer!, $query: SearchQuery) {
    events(account_id: $account_id, query: $query) { data { kind created_by_id creator { email } } }
  }`;

  test('is who wrote it, or made the change that it tells of, until they are gone', async () => {
    const w = await world(service);
    const other = await w.user();
    const token = await issue(service.database, { ...w.member, id: other.id });
    const deal = await w.deal();
    const rest = w.restAs(token);
    const query = { deal_id_eq: deal.id, s: 'id' };
    expect(await rest.post(`/deals/${deal.id}/events`, { kind: 'note', content: 'Well' })).toAnswer(
      201,
    );
    const batch = { kind: 'activity', title: 'Call', deal_id: deal.id };
    const records = { operation: 'create', records: [batch] };
    expect(await rest.post('/events/batch', records)).toAnswer(200);
    expect(await rest.put(`/deals/${deal.id}`, { status: 'won' })).toAnswer(200);
    const product_id = (await w.product()).id;
    expect(await rest.post('/deal_products', { deal_id: deal.id, product_id })).toAnswer(201);
    const kinds = ['note', 'activity', 'deal_won', 'deal_product_added'];
    const told = (creator: object | null) => ({
      events: {
        data: [
          {
            kind: 'deal_opened',
            created_by_id: w.admin.id,
            creator: { email: expect.any(String) },
          },
          ...kinds.map((kind) => ({ kind, created_by_id: other.id, creator })),
        ],
      },
    });
    const variables = { account_id: w.accountId, query };
    expect(await w.graphql.data(asked, variables)).toEqual(told({ email: other.email }));
    const own = { ...query, created_by_id_eq: w.admin.id };
    expect(await w.graphql.data(asked, { ...variables, query: own })).toMatchObject({
      events: { data: [{ kind: 'deal_opened' }] },
    });
    expect(await w.rest.delete(`/users/${other.id}`)).toAnswer(204);
    expect(await w.graphql.data(asked, variables)).toEqual(told(null));
  });

  test('comes back with a removed event, and takes users:read to be named', async () => {
    const w = await world(service);
    const deal = await w.deal();
    const written = await w.rest.post<{ id: number }>(`/deals/${deal.id}/events`, {
      kind: 'note',
      content: 'Well',
    });
    const { id } = written.body;
    expect(await w.rest.delete(`/events/${id}`)).toAnswer(204);
    expect(await w.rest.post(`/events/${id}/restore`, {})).toAnswer(200);
    const variables = { account_id: w.accountId, query: { id_eq: id } };
    expect(await w.graphql.data(asked, variables)).toMatchObject({
      events: { data: [{ created_by_id: w.admin.id }] },
    });
    expect(await new Scoped(w).lacked(['events:read'], asked)).toEqual(['users:read']);
  });
});
