/**
 * The audit trail is whole: what it records, done to a copy of the tables as they were before a call, makes
 * them what they are after it.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import type { UnitOfWork } from '../../src/context/context.ts';
import { Person } from '../kit/person.ts';
import { apply, contentsOf, readEntries, readReplica } from '../kit/replica.ts';
import { sample } from '../kit/sample.ts';
import { secret, sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { unique, type World, world } from '../kit/world.ts';
import { routeOf, viaRest } from '../parity/call.ts';
import { cases } from '../parity/cases.ts';

const { keysOf } = await shipped<typeof import('../../src/auth/keys.ts')>('auth/keys.js');
const { operating } =
  await shipped<typeof import('../../src/context/context.ts')>('context/context.js');
const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { insertAccount } = await shipped<typeof import('../../src/resources/accounts/create.ts')>(
  'resources/accounts/create.js',
);
const { insertPipeline } = await shipped<typeof import('../../src/resources/pipelines/insert.ts')>(
  'resources/pipelines/insert.js',
);
const { issueFor } = await shipped<typeof import('../../src/resources/tokens/issue.ts')>(
  'resources/tokens/issue.js',
);
const { revoke } = await shipped<typeof import('../../src/resources/tokens/revoke.ts')>(
  'resources/tokens/revoke.js',
);
const { insertUser } = await shipped<typeof import('../../src/resources/users/create.ts')>(
  'resources/users/create.js',
);
const { createLinkFor } = await shipped<typeof import('../../src/resources/users/sign_in_link.ts')>(
  'resources/users/sign_in_link.js',
);

const service = await sharedService();
const database = await openDatabase({ url: service.database.url, poolSize: 2 });
afterAll(async () => {
  await database.close();
});

/** Does something, and compares the tables with what its entries made of them as they were. */
async function follow(w: World, work: () => Promise<unknown>): Promise<readonly string[]> {
  const replica = await readReplica(service.database, w.accountId);
  const known = (await readEntries(service.database, w.accountId)).length;
  await work();
  const entries = (await readEntries(service.database, w.accountId)).slice(known);
  for (const entry of entries) apply(replica, entry);
  const after = await readReplica(service.database, w.accountId);
  expect(contentsOf(replica)).toEqual(contentsOf(after));
  return entries.map(({ action }) => action);
}

const writes = cases
  .filter(({ operation }) => !routeOf(operation).action.endsWith('.read'))
  .map((each) => ({ ...each, title: `${each.operation}: ${each.name}` }));

test.each(sample(writes, 3, 1))('$title', async ({ operation, call, as = 'admin' }) => {
  const w = await world(service);
  const sent = await call(w);
  let status = 0;
  const actions = await follow(w, async () => {
    status = (await viaRest(w, w[as].token, operation, sent)).status;
  });
  if (status >= 400) expect(actions).toEqual([]);
});

/** Creates `count` deals at the first stage, all of one contact. */
async function stageOf(w: World, count: number, fields: object = {}) {
  const { id: contact_id } = await w.contact();
  const ids: number[] = [];
  for (let at = 0; at < count; at += 1) {
    ids.push((await w.deal({ contact_id, ...fields })).id);
  }
  return { contact_id, ids };
}

describe('places', () => {
  const moves: [string, (w: World, ids: readonly number[]) => Promise<unknown>, string[]][] = [
    [
      'a deal that moves down',
      (w, [, second]) => w.rest.put(`/deals/${second}`, { position: 4 }),
      ['stage.reorder', 'deal.update'],
    ],
    [
      'a deal that moves up',
      (w, ids) => w.rest.put(`/deals/${ids[3]}`, { position: 2 }),
      ['stage.reorder', 'deal.update'],
    ],
    [
      'a deal that goes to the place of another, at another stage',
      async (w, ids) => {
        await w.rest.put(`/deals/${ids[0]}`, { stage_id: w.stageIds[1] });
        await w.rest.put(`/deals/${ids[2]}`, { stage_id: w.stageIds[1], position: 1 });
      },
      [
        ...['stage.reorder', 'deal.update', 'event.create'],
        ...['stage.reorder', 'stage.reorder', 'deal.update', 'event.create'],
      ],
    ],
    [
      'the last deal, which leaves nobody behind',
      (w, ids) => w.rest.put(`/deals/${ids[4]}`, { stage_id: w.other.stageId }),
      ['deal.update', 'event.create'],
    ],
    [
      'a deal in the place of another',
      (w) => w.deal({ position: 3 }),
      [
        'contact.create',
        ...['stage.reorder', 'deal.create', 'deal_assignee.create', 'event.create'],
      ],
    ],
    [
      'a deal that is removed',
      (w, ids) => w.rest.delete(`/deals/${ids[1]}`),
      ['stage.reorder', 'event.delete', 'deal_assignee.delete', 'deal.delete'],
    ],
    [
      'the first of two stages, to the second place',
      (w) => w.rest.put(`/stages/${w.stageIds[0]}`, { position: 3 }),
      ['pipeline.reorder', 'stage.update'],
    ],
    [
      'a stage among others',
      (w) => w.rest.post('/stages', { name: 'x', pipeline_id: w.pipelineId, position: 2 }),
      ['pipeline.reorder', 'stage.create'],
    ],
    [
      'a stage that is removed',
      (w) => w.rest.delete(`/stages/${w.stageIds[1]}`),
      ['pipeline.reorder', 'stage.delete'],
    ],
  ];
  test.each(moves)('%s', async (_, move, expected) => {
    const w = await world(service);
    const { ids } = await stageOf(w, 5);
    const actions = await follow(w, () => move(w, ids));
    expect([...actions].sort()).toEqual([...expected].sort());
  });

  test('that shift are told as ranges, one entry for a stage', async () => {
    const w = await world(service);
    const { contact_id } = await stageOf(w, 1);
    const { ids } = await stageOf(w, 3);
    await w.deal({ contact_id });
    await w.deal();
    const actions = await follow(w, async () => {
      await w.rest.delete(`/contacts/${contact_id}`);
      await w.rest.put(`/deals/${ids[0]}`, { position: 9 });
    });
    expect(actions.filter((action) => action === 'stage.reorder')).toHaveLength(2);
    const told = (await readEntries(service.database, w.accountId))
      .filter(({ action }) => action === 'stage.reorder')
      .map(({ record_id, before, after }) => [record_id, before?.positions, after?.positions]);
    expect(told).toEqual([
      [
        w.stageIds[0],
        [
          [2, 4],
          [6, 6],
        ],
        [
          [1, 3],
          [4, 4],
        ],
      ],
      [w.stageIds[0], [[2, 4]], [[1, 3]]],
    ]);
  });
});

describe('what goes along', () => {
  test('with a contact: all that its deals hold, with all fields, children first', async () => {
    const w = await world(service);
    const { deal, product_id } = await w.dealProduct({ quantity: 2, unit_amount_in_cents: 7 });
    await w.dealProduct({ deal_id: deal.id, product_id });
    await w.rest.post('/deal_assignees', { deal_id: deal.id, user_id: w.member.id });
    await w.rest.post(`/contacts/${deal.contact_id}/events`, { kind: 'note', content: 'Hi' });
    await w.updateDeal(deal.id, { status: 'won' });
    const actions = await follow(w, () => w.rest.delete(`/contacts/${deal.contact_id}`));
    const count = (action: string) => actions.filter((each) => each === action).length;
    expect([...new Set(actions)].slice(-2)).toEqual(['deal.delete', 'contact.delete']);
    expect([
      count('event.delete'),
      count('deal_product.delete'),
      count('deal_assignee.delete'),
    ]).toEqual([5, 2, 2]);
  });

  test('to another contact: the events of a deal', async () => {
    const w = await world(service);
    const deal = await w.deal();
    const { id: contact_id } = await w.contact();
    const actions = await follow(w, () => w.updateDeal(deal.id, { contact_id }));
    expect(actions).toEqual(['event.update', 'deal.update']);
  });

  test('a deal of a product that costs nothing keeps its total, and is not told of', async () => {
    const w = await world(service);
    const deal = await w.deal();
    const actions = await follow(w, async () => {
      const { id } = await w.dealProduct({ deal_id: deal.id });
      await w.rest.put(`/deal_products/${id}`, { product_name: 'x' });
      await w.rest.put(`/deal_products/${id}`, { quantity: 3, unit_amount_in_cents: 4 });
      await w.rest.delete(`/deal_products/${id}`);
    });
    expect(actions.filter((action) => action === 'deal.update')).toHaveLength(2);
  });

  test('with a user: what lets them in, and what they created', async () => {
    const w = await world(service);
    const user = await w.user();
    const person = new Person(service.client);
    const link = `mutation { create_sign_in_link(account_id: ${w.accountId}, user_id: ${user.id}) { url } }`;
    await w.graphql.data(link);
    await person.signIn(user.email);
    await person.graphql(
      `mutation ($input: TokenInput!) { create_token(account_id: ${w.accountId}, input: $input) { token { id } } }`,
      { input: { name: 'x' } },
    );
    await person.graphql(
      `mutation ($input: DealInput!) { create_deal(account_id: ${w.accountId}, input: $input) { id } }`,
      { input: { stage_id: w.stageIds[0], contact_id: (await w.contact()).id } },
    );
    const actions = await follow(w, () => w.rest.delete(`/users/${user.id}`));
    expect([...new Set(actions)].sort()).toEqual([
      'deal.update',
      'deal_assignee.delete',
      'session.delete',
      'sign_in_code.delete',
      'token.delete',
      'user.delete',
      'user.update',
    ]);
  });
});

describe('what no route does', () => {
  const mutations: [string, (w: World) => Promise<unknown>][] = [
    [
      'invite_user',
      (w) =>
        w.graphql.data(
          'mutation ($account: Integer!, $input: InvitationInput!) { invite_user(account_id: $account, input: $input) { user { id } } }',
          { account: w.accountId, input: { email: unique('invited') } },
        ),
    ],
    [
      'create_sign_in_link, twice',
      async (w) => {
        const link = `mutation { create_sign_in_link(account_id: ${w.accountId}, user_id: ${w.member.id}) { url } }`;
        await w.graphql.data(link);
        await w.graphql.data(link);
      },
    ],
    [
      'update_user with a password and another e-mail',
      async (w) => {
        await w.graphql.data(
          `mutation { create_sign_in_link(account_id: ${w.accountId}, user_id: ${w.member.id}) { url } }`,
        );
        await w.rest.put(`/users/${w.member.id}`, {
          email: unique('other'),
          password: 'battery staple',
          password_confirmation: 'battery staple',
        });
      },
    ],
    [
      'signing in, out, and being refused',
      async (w) => {
        const user = await w.user();
        const person = new Person(service.client);
        await person.signIn(user.email, 'wrong');
        await person.signIn(user.email);
        await person.send('DELETE', '/session');
      },
    ],
    [
      'a link that is used, a password that is changed, a session that is ended',
      async (w) => {
        const user = await w.user();
        const { create_sign_in_link: link } = await w.graphql.data<{
          create_sign_in_link: { url: string };
        }>(
          `mutation { create_sign_in_link(account_id: ${w.accountId}, user_id: ${user.id}) { url } }`,
        );
        const person = new Person(service.client);
        const password = 'battery staple';
        const code = link.url.slice(link.url.indexOf('#') + 1);
        await person.send('POST', '/session', { code, password, password_confirmation: password });
        await new Person(service.client).signIn(user.email, password);
        await person.graphql(
          'mutation ($account: Integer!, $input: PasswordInput!) { change_password(account_id: $account, input: $input) { id } }',
          {
            account: w.accountId,
            input: {
              current_password: password,
              password: 'a third one',
              password_confirmation: 'a third one',
              revoke_tokens: true,
            },
          },
        );
        const [session] = await service.database.query<{ id: number }>(
          'SELECT id FROM sessions WHERE account_id = $1',
          [w.accountId],
        );
        await w.graphql.data(
          `mutation { delete_session(account_id: ${w.accountId}, id: ${session?.id}) { id } }`,
        );
      },
    ],
  ];
  test.each(mutations)('%s', async (_, work) => {
    const w = await world(service);
    expect((await follow(w, () => work(w))).length).toBeGreaterThan(0);
  });

  const commands: [string, (w: World, ctx: UnitOfWork) => Promise<unknown>][] = [
    ['crm pipeline create', (_, ctx) => insertPipeline(ctx, 'Third', ['One', 'Two'])],
    [
      'crm user create',
      (_, ctx) =>
        insertUser(
          ctx,
          { email: unique('u'), password: 'correct horse', password_confirmation: 'correct horse' },
          { fields: ['id'], relations: [] },
        ),
    ],
    [
      'crm user link',
      async (w) => {
        const call = { db: database, now: new Date(), requestId: 'cli' };
        await createLinkFor(call, w.member.email);
        await createLinkFor(call, w.member.email);
      },
    ],
    [
      'crm token create and revoke',
      (w, ctx) =>
        database.transaction(async (db) => {
          const tx = { ...ctx, db };
          const { id: userId } = w.member;
          const token = { userId, name: 'x', scopes: ['read'], ttl: 60, keys: keysOf([secret]) };
          const { id } = await issueFor(tx, { ...token, scopes: ['read'] });
          await revoke(tx, id);
        }),
    ],
  ];
  test.each(commands)('%s', async (_, work) => {
    const w = await world(service);
    const ctx = operating({ db: database, now: new Date(), requestId: 'cli' }, w.accountId);
    expect((await follow(w, () => work(w, ctx))).length).toBeGreaterThan(0);
  });

  test('crm account create', async () => {
    const { id } = await insertAccount({ db: database, now: new Date(), requestId: 'cli' }, 'New');
    const replica = await readReplica(service.database, 0);
    for (const entry of await readEntries(service.database, id)) apply(replica, entry);
    const after = await readReplica(service.database, id);
    expect(contentsOf(after).accounts?.[id]).toMatchObject({ name: 'New' });
    expect(contentsOf(replica)).toEqual(contentsOf(after));
  });
});
