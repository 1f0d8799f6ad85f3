/** Who wrote an event. */
import { describe, expect, test } from '@jest/globals';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

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

  test('of before it was noted is who wrote it by the trail, as long as that tells', async () => {
    const w = await world(service);
    const author = await w.user({ full_name: 'Bruno Reis' });
    const rest = w.restAs(await issue(service.database, { ...w.member, id: author.id }));
    const deal = await w.deal();
    const write = async (content: string) => {
      const note = { kind: 'note', content };
      const { body } = await rest.post<{ id: number }>(`/deals/${deal.id}/events`, note);
      return body.id;
    };
    const [own, brought, revived, lost] = [
      await write('Own'),
      await write('Brought along with its moment'),
      await write('Brought back by somebody else'),
      await write('Of which the trail tells no more'),
    ];
    expect(await rest.put(`/deals/${deal.id}`, { status: 'won' })).toAnswer(200);
    await service.database.query('UPDATE events SET created_by_id = NULL WHERE account_id = $1', [
      w.accountId,
    ]);
    await service.database.query(
      'UPDATE events SET created_at = $3 WHERE account_id = $1 AND id = $2',
      [w.accountId, brought, '2024-01-01T00:00:00Z'],
    );
    for (const id of [revived, lost]) {
      await service.database.query(
        "DELETE FROM audit_entries WHERE account_id = $1 AND record_type = 'event' AND record_id = $2",
        [w.accountId, id],
      );
    }
    expect(await w.rest.delete(`/events/${revived}`)).toAnswer(204);
    expect(await w.rest.post(`/events/${revived}/restore`, {})).toAnswer(200);
    const reader = new Scoped(w).token('events:read', 'users:read');
    const named = `query ($account_id: Integer!, $query: SearchQuery) {
      events(account_id: $account_id, query: $query) {
        data { id kind created_by_id creator { full_name } }
      }
    }`;
    const variables = { account_id: w.accountId, query: { deal_id_eq: deal.id, s: 'id' } };
    service.statements.length = 0;
    const bruno = { created_by_id: null, creator: { full_name: 'Bruno Reis' } };
    const nobody = { created_by_id: null, creator: null };
    expect(await w.graphqlAs(await reader).data(named, variables)).toEqual({
      events: {
        data: [
          {
            id: expect.any(Number),
            kind: 'deal_opened',
            created_by_id: null,
            creator: { full_name: 'Ada Admin' },
          },
          { id: own, kind: 'note', ...bruno },
          { id: brought, kind: 'note', ...bruno },
          { id: revived, kind: 'note', ...nobody },
          { id: lost, kind: 'note', ...nobody },
          { id: expect.any(Number), kind: 'deal_won', ...bruno },
        ],
      },
    });
    expect(service.statements.filter((text) => /FROM "events"/.test(text))).toHaveLength(1);
    expect(await w.rest.delete(`/users/${author.id}`)).toAnswer(204);
    const query = { id_eq: own };
    expect(await w.graphql.data(named, { ...variables, query })).toEqual({
      events: { data: [{ id: own, kind: 'note', ...nobody }] },
    });
  });
});
