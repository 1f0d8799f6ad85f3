import { describe, expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

describe('contact_timeline', () => {
  const timeline = `query ($account_id: Integer!, $id: Integer!, $page: Integer, $per_page: Integer) {
    contact_timeline(account_id: $account_id, contact_id: $id, page: $page, per_page: $per_page) {
      data { kind title deal { name } }
      pagination { page items count pages from to prev next }
    }
  }`;

  interface Timeline {
    readonly contact_timeline: {
      readonly data: readonly { readonly title: string; readonly kind: string }[];
    };
  }

  test('events of the contact and of its deals, newest first, in pages', async () => {
    const w = await world(service);
    const contact = await w.contact();
    await w.rest.post(`/contacts/${contact.id}/events`, { kind: 'note', title: 'first' });
    const deal = await w.deal({ contact_id: contact.id, name: 'D' });
    await w.rest.post(`/deals/${deal.id}/events`, { kind: 'activity', title: 'second' });
    await w.deal();
    const variables = { account_id: w.accountId, id: contact.id, per_page: 2 };
    service.statements.length = 0;
    expect(await w.graphql.data(timeline, variables)).toEqual({
      contact_timeline: {
        data: [
          { kind: 'activity', title: 'second', deal: { name: 'D' } },
          { kind: 'deal_opened', title: '', deal: { name: 'D' } },
        ],
        pagination: { page: 1, items: 2, count: 3, pages: 2, from: 1, to: 2, prev: null, next: 2 },
      },
    });
    expect(service.statements).toHaveLength(1);
    const second = await w.graphql.data<Timeline>(timeline, { ...variables, page: 2 });
    expect(second.contact_timeline.data).toEqual([{ kind: 'note', title: 'first', deal: null }]);
  });

  test('a deal that changes its contact brings its events along', async () => {
    const w = await world(service);
    const [before, after] = [await w.contact(), await w.contact()];
    const deal = await w.deal({ contact_id: before.id });
    await w.updateDeal(deal.id, { contact_id: after.id });
    const { contact_timeline } = await w.graphql.data<Timeline>(timeline, {
      account_id: w.accountId,
      id: after.id,
    });
    expect(contact_timeline.data.map((event) => event.kind)).toEqual(['deal_opened']);
  });

  test('404 for a contact of another account', async () => {
    const w = await world(service);
    const theirs = await (await world(service)).contact();
    const { body } = await w.graphql.send(timeline, { account_id: w.accountId, id: theirs.id });
    expect(body.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });
});

test('the records of a page can be selected under another name, once', async () => {
  const w = await world(service);
  await w.contact({ full_name: 'Ana' });
  const account_id = w.accountId;
  expect(
    await w.graphql.data(
      'query ($a: Integer!) { contacts(account_id: $a) { rows: data { full_name } } }',
      {
        a: account_id,
      },
    ),
  ).toEqual({ contacts: { rows: [{ full_name: 'Ana' }] } });
  const { body } = await w.graphql.send(
    'query ($a: Integer!) { contacts(account_id: $a) { a: data { id } b: data { id } } }',
    { a: account_id },
  );
  expect(body.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
});
