/** DELETE /users/{id}?reassign_to=ID: what a user leaves behind goes to another one. */
import { expect, test } from '@jest/globals';
import { invalid, notFound, unauthorized } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** A user with a token and a deal of each kind: created, and shared with the one who will get it. */
async function leaver() {
  const { id, email } = await w.user();
  const token = await issue(service.database, { id, account_id: w.accountId });
  const contact_id = (await w.contact()).id;
  const rest = w.restAs(token);
  const create = async () =>
    (await rest.post<{ id: number }>('/deals', { stage_id: w.stageIds[0], contact_id })).body.id;
  const [created, shared] = [await create(), await create()];
  await w.rest.post('/deal_assignees', { deal_id: shared, user_id: w.member.id });
  return { id, email, rest, created, shared };
}

interface Entry {
  readonly action: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

const path = (id: number, to: number | string) => `/users/${id}?reassign_to=${to}`;

test('the deals and assignments are the other one’s, each once, and the token has ended', async () => {
  const { id, rest, created, shared } = await leaver();
  const before = await w.fetchDeal(created);
  expect(await w.rest.delete(path(id, w.member.id))).toAnswer(204, undefined);
  expect(await w.rest.get(`/users/${id}`)).toAnswer(404, notFound);
  expect(await rest.get('/pipelines')).toAnswer(401, unauthorized);
  for (const deal of [created, shared]) {
    const { created_by_id, deal_assignees } = await w.fetchDeal(deal);
    expect(created_by_id).toBe(w.member.id);
    expect(deal_assignees.map(({ user_id }) => user_id)).toEqual([w.member.id]);
  }
  const after = await w.fetchDeal(created);
  expect(after.deal_assignees[0]?.id).toBe(before.deal_assignees[0]?.id);
  expect(after.updated_at > before.updated_at).toBe(true);
});

test.each([
  ['to another user', (w: World) => w.member.id],
  ['to nobody', () => null],
])('the audit trail tells every deal and assignment that goes %s', async (_, whom) => {
  const { id, created, shared, email } = await leaver();
  const to = whom(w);
  const [own] = (await w.fetchDeal(created)).deal_assignees;
  const [common] = (await w.fetchDeal(shared)).deal_assignees;
  await w.rest.delete(to === null ? `/users/${id}` : path(id, to), { 'x-request-id': 'leave' });
  const trail = await service.database.query<Entry>(
    `SELECT action, record_id, before, after FROM audit_entries
     WHERE account_id = $1 AND request_id = 'leave' AND record_id = ANY($2)
     ORDER BY action, record_id`,
    [w.accountId, [id, created, shared, own?.id, common?.id]],
  );
  const changed = (action: string, record_id: number | undefined, column: string) => ({
    action,
    record_id,
    before: { [column]: id },
    after: { [column]: to },
  });
  const ended = (record_id: number | undefined, deal_id: number) => ({
    action: 'deal_assignee.delete',
    record_id,
    before: { deal_id, user_id: id },
    after: null,
  });
  expect(trail).toEqual([
    changed('deal.update', created, 'created_by_id'),
    changed('deal.update', shared, 'created_by_id'),
    ...(to === null ? [ended(own?.id, created)] : []),
    ended(common?.id, shared),
    ...(to === null ? [] : [changed('deal_assignee.update', own?.id, 'user_id')]),
    {
      action: 'user.delete',
      record_id: id,
      before: expect.objectContaining({ email }),
      after: null,
    },
    // What let them in ended first.
    { action: 'user.update', record_id: id, before: {}, after: { password_changed: true } },
  ]);
});

test('GraphQL hands over, too', async () => {
  const { id, created } = await leaver();
  const data = await w.graphql.data(
    `mutation ($account: Integer!, $id: Integer!, $to: Integer) {
      delete_user(account_id: $account, id: $id, reassign_to: $to) { id }
    }`,
    { account: w.accountId, id, to: w.admin.id },
  );
  expect(data).toEqual({ delete_user: { id } });
  expect(await w.fetchDeal(created)).toMatchObject({ created_by_id: w.admin.id });
});

test('422 for whom the deals cannot go to, and nothing happens', async () => {
  const { id, rest, created } = await leaver();
  const stranger = await world(service);
  const refused = async (to: string | number, message: string) => {
    expect(await w.rest.delete(path(id, to))).toAnswer(422, invalid({ reassign_to: message }));
  };
  await refused(id, 'must be another user');
  await refused(stranger.member.id, 'must exist');
  await refused('ana', 'must be an integer');
  await refused('1&reassign_to=2', 'must be an integer');
  expect(await rest.get('/pipelines')).toAnswer(200);
  expect(await w.fetchDeal(created)).toMatchObject({ created_by_id: id });
});

test('422 for a misspelt parameter: the deals would be nobody’s', async () => {
  const { id } = await leaver();
  const answer = await w.rest.delete(`/users/${id}?reasign_to=${w.member.id}`);
  expect(answer).toAnswer(422, {
    error: 'Validation failed',
    code: 'validation_failed',
    errors: ['reasign_to: is not a parameter (did you mean reassign_to?)'],
    fields: { reasign_to: ['is not a parameter (did you mean reassign_to?)'] },
    codes: { reasign_to: ['unknown_field'] },
    request_id: expect.any(String),
  });
  expect(await w.rest.get(`/users/${id}`)).toAnswer(200);
});

test('all that is wrong is told together, and 404 comes before it', async () => {
  const fresh = await world(service);
  expect(await fresh.rest.delete(path(fresh.admin.id, fresh.admin.id))).toAnswer(
    422,
    invalid({
      reassign_to: 'must be another user',
      role: 'is admin, and the account has no other',
    }),
  );
  expect(await fresh.rest.delete(path(w.member.id, 'x'))).toAnswer(404, notFound);
});

test('whoever was to get the deals and is removed meanwhile is named, and the call can be repeated', async () => {
  const { id, created } = await leaver();
  const { database } = service;
  await database.query(
    `WITH session AS (
       INSERT INTO sessions (account_id, user_id, token_hash, expires_at) VALUES ($1, $2, 'x', now() + '1 h')
     ) INSERT INTO sign_in_codes (account_id, user_id, code_hash, expires_at) VALUES ($1, $2, 'x', now() + '1 h')`,
    [w.accountId, id],
  );
  const other = await w.user();
  const remove = await service.database.hold(
    'DELETE FROM users WHERE account_id = $1 AND id = $2',
    [w.accountId, other.id],
  );
  const answer = w.rest.delete(path(id, other.id));
  await service.database.blocked();
  await remove('COMMIT');
  expect(await answer).toAnswer(422, invalid({ reassign_to: 'must exist' }));
  // Nothing lets them in any more, although they are still listed.
  expect(
    await database.query(
      `SELECT password_hash, (SELECT count(*) FROM sessions WHERE user_id = $1) AS sessions,
         (SELECT count(*) FROM sign_in_codes WHERE user_id = $1) AS codes,
         (SELECT count(*) FROM api_tokens WHERE user_id = $1) AS tokens,
         (SELECT count(*) FROM audit_entries WHERE action = 'session.delete' AND account_id = $2) AS told
       FROM users WHERE id = $1`,
      [id, w.accountId],
    ),
  ).toEqual([{ password_hash: '', sessions: 0, codes: 0, tokens: 0, told: 1 }]);
  expect(await w.rest.delete(path(id, w.member.id))).toAnswer(204, undefined);
  expect(await w.fetchDeal(created)).toMatchObject({ created_by_id: w.member.id });
});
