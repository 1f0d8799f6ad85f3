import { describe, expect, test } from '@jest/globals';
import { verifyPassword } from '../../src/auth/passwords.ts';
import { forbidden, invalid, invalidSearchOf, notFound, unauthorized } from '../kit/refusals.ts';
import { Rest } from '../kit/rest.ts';
import { sharedService, startService } from '../kit/service.ts';
import { moment, userBody } from '../kit/shapes.ts';
import { issue } from '../kit/tokens.ts';
import { until } from '../kit/wait.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const path = (id: number) => `/users/${id}`;

async function role(id: number): Promise<string | undefined> {
  const [row] = await service.database.query<{ role: string }>(
    'SELECT role FROM users WHERE id = $1',
    [id],
  );
  return row?.role;
}

describe('GET /users/{id}', () => {
  test('200, for members too, without password or role', async () => {
    const user = await w.user({ full_name: 'Rui' });
    expect(await w.rest.get(path(user.id))).toAnswer(200, user);
    expect(await w.restAs(w.member.token).get(path(user.id))).toAnswer(200, user);
  });

  test('404 for a user of another account', async () => {
    const stranger = await world(service);
    expect(await w.rest.get(path(stranger.member.id))).toAnswer(404, notFound);
  });
});

describe('PUT /users/{id}', () => {
  test('200: what is sent changes, the rest stays', async () => {
    const user = await w.user({ full_name: 'Rui', phone: '1' });
    const email = unique('new');
    const sent = {
      email: ` ${email.toUpperCase()} `,
      language: 'de',
      job_description: 'ceo',
      webpush_notify_on_event_expired: true,
    };
    const changed = userBody(w.accountId, {
      ...user,
      email,
      language: 'de',
      job_description: 'ceo',
      notifications: { webpush_notify_on_event_expired: true },
      updated_at: moment,
    });
    expect(await w.rest.put(path(user.id), sent)).toAnswer(200, changed);
    expect(await w.rest.get(path(user.id))).toAnswer(200, changed);
  });

  test('200 for the fetched user sent back', async () => {
    const user = await w.user({ full_name: 'Rui' });
    expect(await w.rest.put(path(user.id), { ...user })).toAnswer(200, user);
  });

  test('a new password is hashed, and told nowhere', async () => {
    const user = await w.user();
    const sent = { password: 'a new password', password_confirmation: 'a new password' };
    expect(await w.rest.put(path(user.id), sent)).toAnswer(200, { ...user, updated_at: moment });
    const [row] = await service.database.query<{ password_hash: string }>(
      'SELECT password_hash FROM users WHERE id = $1',
      [user.id],
    );
    expect(await verifyPassword('a new password', row?.password_hash ?? '', 'test')).toBe(true);
    const [entry] = await service.database.query(
      `SELECT action, before, after FROM audit_entries WHERE account_id = $1 AND record_id = $2
       AND record_type = 'user' ORDER BY id DESC LIMIT 1`,
      [w.accountId, user.id],
    );
    expect(entry).toEqual({ action: 'user.update', before: {}, after: { password_changed: true } });
    expect(service.logged.join('')).not.toContain('a new password');
  });

  test.each([
    [{ password: 'long enough' }, { password_confirmation: "can't be blank" }],
    [
      { password: 'long enough', password_confirmation: 'another one' },
      { password_confirmation: "doesn't match Password" },
    ],
    [{ password_confirmation: 'alone' }, { password_confirmation: "doesn't match Password" }],
    [
      { password: 'short', password_confirmation: 'short' },
      { password: 'is too short (minimum is 6 characters)' },
    ],
    [{ password: null }, { password: "can't be blank" }],
    [{ email: null }, { email: "can't be blank" }],
    [{ email: 'x' }, { email: 'is invalid' }],
    [{ role: 'owner' }, { role: 'is not included in the list (member, admin)' }],
    [
      { language: 'fr', avatar_url: 'ftp://x' },
      { language: 'is not included in the list (en, pt-BR, es, de)', avatar_url: 'is invalid' },
    ],
  ])('422 for %j', async (sent, messages) => {
    const user = await w.user();
    expect(await w.rest.put(path(user.id), sent)).toAnswer(422, invalid(messages));
    expect(await w.rest.get(path(user.id))).toAnswer(200, user);
  });

  test('422 for an e-mail in use in any account, beside what else is wrong', async () => {
    const user = await w.user();
    const stranger = await world(service);
    expect(await w.rest.put(path(user.id), { email: stranger.admin.email })).toAnswer(
      422,
      invalid({ email: 'has already been taken' }),
    );
    expect(
      await w.rest.put(path(user.id), { email: stranger.admin.email, language: 'fr' }),
    ).toAnswer(
      422,
      invalid({
        email: 'has already been taken',
        language: 'is not included in the list (en, pt-BR, es, de)',
      }),
    );
  });

  test('an admin may make another, and unmake one', async () => {
    const user = await w.user();
    expect(await w.rest.put(path(user.id), { role: 'admin' })).toAnswer(200);
    expect(await role(user.id)).toBe('admin');
    expect(await w.rest.put(path(user.id), { role: null })).toAnswer(200);
    expect(await role(user.id)).toBe('member');
  });

  test('422 for the last admin of an account who would become a member', async () => {
    const fresh = await world(service);
    expect(await fresh.rest.put(path(fresh.admin.id), { role: 'member' })).toAnswer(
      422,
      invalid({ role: 'must be admin: the account has no other' }),
    );
    expect(await fresh.rest.put(path(fresh.admin.id), { full_name: 'Still' })).toAnswer(200);
  });

  test('of two admins who demote each other at once, one stays', async () => {
    const fresh = await world(service);
    const second = await fresh.user();
    await fresh.rest.put(path(second.id), { role: 'admin' });
    const answers = await Promise.all(
      [fresh.admin.id, second.id].map((id) => fresh.rest.put(path(id), { role: 'member' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
  });

  test('403 for members, for themselves too; 404 across accounts, before 422', async () => {
    const member = w.restAs(w.member.token);
    expect(await member.put(path(w.member.id), { full_name: 'Me' })).toAnswer(403, forbidden);
    expect(await member.delete(path(w.member.id))).toAnswer(403, forbidden);
    const stranger = await world(service);
    expect(await w.rest.put(path(stranger.member.id), { email: 'x' })).toAnswer(404, notFound);
    expect(await w.rest.delete(path(stranger.member.id))).toAnswer(404, notFound);
  });
});

describe('DELETE /users/{id}', () => {
  test('204: tokens dead, assignments gone, deals of nobody', async () => {
    const user = await w.user();
    const holder = { id: user.id, account_id: w.accountId };
    const [known, unknown] = [
      await issue(service.database, holder),
      await issue(service.database, holder),
    ];
    const contact = await w.contact();
    const { body } = await w
      .restAs(known)
      .post<{ id: number }>('/deals', { stage_id: w.stageIds[0], contact_id: contact.id });
    expect(await w.rest.delete(path(user.id))).toAnswer(204, undefined);
    expect(await w.rest.get(path(user.id))).toAnswer(404, notFound);
    expect(await w.fetchDeal(body.id)).toMatchObject({ created_by_id: null, deal_assignees: [] });
    expect(await w.restAs(unknown).get('/pipelines')).toAnswer(401, unauthorized);
    expect(await w.restAs(known).get('/pipelines')).toAnswer(401, unauthorized);
    const [entry] = await service.database.query<{ before: Record<string, unknown> }>(
      `SELECT before FROM audit_entries WHERE account_id = $1 AND action = 'user.delete' AND record_id = $2`,
      [w.accountId, user.id],
    );
    expect(entry?.before).toMatchObject({ email: user.email, role: 'member' });
  });

  test('a deal of a user who is gone, whose token another process still believes, is a 401', async () => {
    const other = await startService({ database: service.database });
    try {
      const user = await w.user();
      const holder = { id: user.id, account_id: w.accountId };
      const there = new Rest(other.client, w.accountId, await issue(service.database, holder));
      const deal = { stage_id: w.stageIds[0], contact_id: (await w.contact()).id };
      expect(await there.post('/deals', deal)).toAnswer(201);
      expect(await w.rest.delete(path(user.id))).toAnswer(204, undefined);
      expect(await there.post('/deals', deal)).toAnswer(401, unauthorized);
    } finally {
      await other.close();
    }
  });

  test('a user of many deals is let go of in parts, its tokens first', async () => {
    const fresh = await world(service);
    const { database } = service;
    const deal = await fresh.deal();
    await database.query(
      `WITH made AS (
         INSERT INTO deals (account_id, contact_id, pipeline_id, stage_id, created_by_id, rank)
         SELECT account_id, contact_id, pipeline_id, stage_id, $2, rank + n FROM deals, generate_series(1, 2500) AS n
         WHERE id = $1 RETURNING account_id, id, created_by_id
       )
       INSERT INTO deal_assignees (account_id, deal_id, user_id) SELECT * FROM made`,
      [deal.id, fresh.member.id],
    );
    const letGo = await database.hold(
      'SELECT FROM deals WHERE account_id = $1 AND created_by_id = $2 LIMIT 1 FOR UPDATE',
      [fresh.accountId, fresh.member.id],
    );
    service.statements.length = 0;
    const answer = fresh.rest.delete(path(fresh.member.id));
    const left = await until(
      () => database.query('SELECT FROM deals WHERE created_by_id = $1', [fresh.member.id]),
      (found) => found.length === 1,
      5000,
    );
    expect(left).toHaveLength(1);
    expect(await fresh.restAs(fresh.member.token).get('/pipelines')).toAnswer(401, unauthorized);
    await letGo();
    expect(await answer).toAnswer(204, undefined);
    // 1,000 twice, 499, and then none but the one that was held, or that one and then none.
    const parts = service.statements.filter((text) =>
      /"deals" AS moving.*SKIP|SKIP.*"deals" AS moving/s.test(text),
    );
    expect([4, 5]).toContain(parts.length);
    const told = await database.query(
      `SELECT FROM audit_entries WHERE account_id = $1 AND action = 'user.delete'`,
      [fresh.accountId],
    );
    expect(told).toHaveLength(1);
  });

  test('422 for the last admin of an account', async () => {
    const fresh = await world(service);
    expect(await fresh.rest.delete(path(fresh.admin.id))).toAnswer(
      422,
      invalid({ role: 'is admin, and the account has no other' }),
    );
    const second = await fresh.user();
    await fresh.rest.put(path(second.id), { role: 'admin' });
    expect(await fresh.rest.delete(path(fresh.admin.id))).toAnswer(204, undefined);
  });
});

test('GraphQL tells and sets the role', async () => {
  const user = await w.user();
  const change = `mutation ($account_id: Integer!, $id: Integer!, $input: UserUpdateInput!) {
    update_user(account_id: $account_id, id: $id, input: $input) { id role }
  }`;
  const variables = { account_id: w.accountId, id: user.id, input: { role: 'admin' } };
  expect(await w.graphql.data(change, variables)).toEqual({
    update_user: { id: user.id, role: 'admin' },
  });
  const refused = await w.graphqlAs(w.member.token).send(change, variables);
  expect(refused.body.errors?.[0]?.extensions.code).toBe('FORBIDDEN');
});

describe('the role in a search', () => {
  const query = `query ($account: Integer!, $query: SearchQuery) {
    users(account_id: $account, query: $query) { data { id role } pagination { count } }
  }`;
  const notSearchable = 'is not a searchable attribute';

  test.each([
    [{ role_eq: 'admin' }],
    [{ role_not_eq: 'member' }],
    [{ role_in: ['admin', 'owner'] }],
    [{ role_start: 'ADM' }],
    [{ c: [{ a: 'role', p: 'eq', v: 'admin' }] }],
  ])('finds by GraphQL: %j', async (search) => {
    const fresh = await world(service);
    const found = await fresh.graphql.data(query, { account: fresh.accountId, query: search });
    const data = [{ id: fresh.admin.id, role: 'admin' }];
    expect(found).toEqual({ users: { data, pagination: { count: 1 } } });
  });

  test('sorts by GraphQL, and finds deals by who created them', async () => {
    const fresh = await world(service);
    const sorted = { account: fresh.accountId, query: { s: 'role desc' } };
    expect(await fresh.graphql.data(query, sorted)).toMatchObject({
      users: { data: [{ role: 'member' }, { role: 'admin' }] },
    });
    const { id } = await fresh.deal();
    const counts = `query ($account: Integer!, $of: SearchQuery, $other: SearchQuery) {
      deals(account_id: $account, query: $of) { data { id } }
      deals_summary(account_id: $account, query: $other) { count }
    }`;
    const asked = {
      account: fresh.accountId,
      of: { creator_role_eq: 'admin' },
      other: { users_role_eq: 'member' },
    };
    expect(await fresh.graphql.data(counts, asked)).toEqual({
      deals: { data: [{ id }] },
      deals_summary: [{ count: 0 }],
    });
  });

  test.each([
    ['/users/search', { role_eq: 'admin' }, 'role_eq', notSearchable],
    ['/users/search', { rol_eq: 'admin' }, 'rol_eq', notSearchable],
    ['/users/search', { g: [{ role_in: ['admin'] }] }, 'role_in', notSearchable],
    ['/users/search', { c: [{ a: 'role', p: 'eq', v: 'admin' }] }, 'c', `"role" ${notSearchable}`],
    ['/users/search', { s: 'role desc' }, 's', `"role" ${notSearchable}`],
    [
      '/deals/search',
      { creator_role_eq: 'admin' },
      'creator_role_eq',
      `${notSearchable} (did you mean creator_phone_eq?)`,
    ],
  ])('is refused by REST: %s %j', async (at, search, key, message) => {
    expect(await w.rest.post(at, { query: search })).toAnswer(
      422,
      invalidSearchOf({ [key]: message }),
    );
  });

  test('is meant by a name that is like it, where it is known', async () => {
    const misspelt = { account: w.accountId, query: { roles_eq: 'admin' } };
    const { body } = await w.graphql.send(query, misspelt);
    expect(body.errors?.[0]?.extensions.fields).toEqual({
      roles_eq: [`${notSearchable} (did you mean role_eq?)`],
    });
    expect(await w.rest.post('/users/search', { query: misspelt.query })).toAnswer(
      422,
      invalidSearchOf({ roles_eq: notSearchable }),
    );
  });
});
