import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

const document = `query ($account_id: Integer!, $page: Integer, $per_page: Integer) {
  labels(account_id: $account_id, page: $page, per_page: $per_page) {
    data { label count }
    pagination { page items count pages next }
  }
}`;

test('labels are those of the account’s contacts, the most frequent first, in pages', async () => {
  const [w, stranger] = [await world(service), await world(service)];
  await stranger.contact({ label_list: 'theirs' });
  for (const label_list of ['vip, lead', 'VIP,lead', 'vip', 'Ärger', '']) {
    await w.contact({ label_list });
  }
  service.statements.length = 0;
  const variables = { account_id: w.accountId, per_page: 3 };
  expect(await w.graphql.data(document, variables)).toEqual({
    labels: {
      data: [
        { label: 'lead', count: 2 },
        { label: 'vip', count: 2 },
        { label: 'VIP', count: 1 },
      ],
      pagination: { page: 1, items: 3, count: 4, pages: 2, next: 2 },
    },
  });
  expect(service.statements).toHaveLength(1);
  const member = w.graphqlAs(w.member.token);
  expect(await member.data(document, { ...variables, page: 2 })).toMatchObject({
    labels: { data: [{ label: 'Ärger', count: 1 }] },
  });
  expect(await w.graphql.data(document, { ...variables, page: 3 })).toMatchObject({
    labels: { data: [], pagination: { items: 0, count: 4 } },
  });
});

test('there are none of another account, nor on a page that does not exist', async () => {
  const [w, stranger] = [await world(service), await world(service)];
  expect(await w.graphql.data(document, { account_id: w.accountId })).toMatchObject({
    labels: { data: [], pagination: { count: 0, pages: 1 } },
  });
  const send = async (variables: Readonly<Record<string, unknown>>) =>
    (await w.graphql.send(document, variables)).body.errors?.[0]?.extensions;
  expect((await send({ account_id: stranger.accountId }))?.code).toBe('NOT_FOUND');
  expect(await send({ account_id: w.accountId, page: 0, per_page: 101 })).toMatchObject({
    code: 'INVALID_SEARCH',
    fields: {
      page: ['must be greater than or equal to 1'],
      per_page: ['must be less than or equal to 100'],
    },
  });
});
