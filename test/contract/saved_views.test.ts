/** Views of lists that people save. */
import { expect, test } from '@jest/globals';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();

const listed = `query ($account_id: Integer!) {
  saved_views(account_id: $account_id) { user_id list name filters query shared } }`;
const create = `mutation ($account_id: Integer!, $input: SavedViewInput!) {
  create_saved_view(account_id: $account_id, input: $input) { id } }`;
const update = `mutation ($account_id: Integer!, $id: Integer!, $input: SavedViewInput!) {
  update_saved_view(account_id: $account_id, id: $id, input: $input) { name shared filters } }`;
const remove = `mutation ($account_id: Integer!, $id: Integer!) {
  delete_saved_view(account_id: $account_id, id: $id) { id } }`;

/** Somebody of an account, as GraphQL knows them. */
async function member(w: World) {
  const { id } = await w.user();
  const graphql = w.graphqlAs(await issue(service.database, { ...w.member, id }));
  const given = { account_id: w.accountId };
  return {
    id,
    views: async () => {
      const { saved_views } = await graphql.data<{ saved_views: { name: string }[] }>(
        listed,
        given,
      );
      return saved_views;
    },
    save: async (input: object) => {
      const { create_saved_view: saved } = await graphql.data<{
        create_saved_view: { id: number };
      }>(create, { ...given, input });
      return saved.id;
    },
    send: async (document: string, variables: object) => {
      const { body } = await graphql.send(document, { ...given, ...variables });
      return body.errors?.[0]?.extensions ?? body.data;
    },
  };
}

const won = {
  list: 'deals',
  name: 'Won',
  filters: { status: 'won' },
  query: { status_eq: 'won', s: 'created_at desc' },
};

test('a view is seen by who saved it, and by others once it is shared', async () => {
  const w = await world(service);
  const [ana, bia] = [await member(w), await member(w)];
  const id = await ana.save(won);
  expect(await ana.views()).toEqual([{ ...won, user_id: ana.id, shared: false }]);
  expect(await bia.views()).toEqual([]);
  expect(await ana.send(update, { id, input: { name: 'All won', shared: true } })).toEqual({
    update_saved_view: { name: 'All won', shared: true, filters: { status: 'won' } },
  });
  expect(await bia.views()).toMatchObject([{ name: 'All won', query: won.query }]);
  expect(await (await member(await world(service))).views()).toEqual([]);
});

test('others’ views are changed and removed by admins alone, and go with their owner', async () => {
  const w = await world(service);
  const [ana, bia] = [await member(w), await member(w)];
  const [own, shared] = [await ana.save(won), await ana.save({ ...won, shared: true })];
  expect(await bia.send(remove, { id: own })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await bia.send(update, { id: shared, input: { name: 'Mine' } })).toMatchObject({
    code: 'FORBIDDEN',
  });
  const given = { account_id: w.accountId };
  expect(await w.graphql.data(remove, { ...given, id: shared })).toEqual({
    delete_saved_view: { id: shared },
  });
  const elsewhere = await member(await world(service));
  expect(await elsewhere.send(remove, { id: own })).toMatchObject({ code: 'NOT_FOUND' });
  await ana.send(update, { id: own, input: { shared: true } });
  expect(await bia.views()).toHaveLength(1);
  expect(await w.rest.delete(`/users/${ana.id}`)).toAnswer(204);
  expect(await bia.views()).toEqual([]);
});

test('what a search would refuse is not saved, nor a view without a name or list, nor one too many', async () => {
  const w = await world(service);
  const ana = await member(w);
  const refusedQuery = { ...won, query: { nonsense_eq: 1 } };
  expect(await ana.send(create, { input: refusedQuery })).toMatchObject({
    code: 'INVALID_SEARCH',
    fields: { nonsense_eq: [expect.any(String)] },
  });
  expect(await ana.send(create, { input: { list: 'users', name: ' ' } })).toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: { list: [expect.any(String)], name: ["can't be blank"] },
  });
  await service.database.query(
    `INSERT INTO saved_views (account_id, user_id, list, name)
     SELECT $1, $2, 'deals', n::text FROM generate_series(1, 100) AS n`,
    [w.accountId, ana.id],
  );
  expect(await ana.send(create, { input: won })).toMatchObject({
    code: 'VALIDATION_FAILED',
    fields: { name: ['is one of more than 100 views'] },
  });
});

test('of many that are saved at once none is one too many', async () => {
  const w = await world(service);
  const ana = await member(w);
  await service.database.query(
    `INSERT INTO saved_views (account_id, user_id, list, name)
     SELECT $1, $2, 'deals', n::text FROM generate_series(1, 95) AS n`,
    [w.accountId, ana.id],
  );
  const saving = Array.from({ length: 12 }, () => ana.send(create, { input: won }));
  const refused = (await Promise.all(saving)).filter((answer) => 'code' in Object(answer));
  expect(refused).toHaveLength(7);
  expect(await ana.views()).toHaveLength(100);
});

test('any token lists views, and only an unlimited one changes them', async () => {
  const w = await world(service);
  const scoped = new Scoped(w);
  expect(await scoped.lacked(['contacts:read'], listed)).toEqual([]);
  for (const [document, given] of [
    [create, { input: won }],
    [update, { id: 1, input: { name: 'x' } }],
    [remove, { id: 1 }],
  ] as const) {
    expect(await scoped.lacked(['read', 'deals:write'], document, given)).toEqual(['*']);
  }
});
