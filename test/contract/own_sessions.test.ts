/** What people see of sessions and passwords, and how they end them. */
import { createHash } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Person } from '../kit/person.ts';
import type { User } from '../kit/records.ts';
import { sharedService, startService } from '../kit/service.ts';
import { id, moment } from '../kit/shapes.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
/** Another process on the same database. */
const other = await startService({ database: service.database });
afterAll(() => other.close());
let w: World;
let user: User;
/** At two browsers. */
let person: Person;
let elsewhere: Person;
beforeEach(async () => {
  w = await world(service);
  user = await w.user();
  [person, elsewhere] = [await signedIn(user.email), await signedIn(user.email)];
});

async function signedIn(email: string): Promise<Person> {
  const browser = new Person(service.client);
  expect(await browser.signIn(email)).toAnswer(201);
  return browser;
}

interface Session {
  readonly id: number;
  readonly user_id: number;
  readonly is_current: boolean;
}

const list = (query = '{}') =>
  `{ sessions(account_id: ${w.accountId}, query: ${query}) {
    data { id account_id user_id user_agent ip is_current created_at last_used_at expires_at user { email } }
    pagination { count } } }`;

interface Page {
  readonly sessions: {
    readonly data: readonly Session[];
    readonly pagination: { readonly count: number };
  };
}

async function sessionsOf(browser: Person): Promise<Page['sessions']> {
  const { body, text } = await browser.graphql<Page>(list());
  if (!body.data) throw new Error(text);
  return body.data.sessions;
}

const whole = (is_current: boolean) => ({
  id,
  account_id: w.accountId,
  user_id: user.id,
  user_agent: '',
  ip: '127.0.0.1',
  is_current,
  created_at: moment,
  last_used_at: moment,
  expires_at: moment,
  user: { email: user.email },
});

const isLetIn = async (browser: Person, by = service) =>
  (await new Person(by.client, browser.cookie?.split('=')[1]).send('GET', '/session')).status ===
  200;

const codesOf = ({
  body,
}: {
  readonly body: { readonly errors?: readonly { extensions: { code: string } }[] };
}) => body.errors?.map(({ extensions }) => extensions.code);

const end = (sessionId: number) =>
  `mutation { delete_session(account_id: ${w.accountId}, id: ${sessionId}) { id } }`;

test('a member sees their own sessions that have not ended, the last used first', async () => {
  await signedIn((await w.user()).email);
  expect(await sessionsOf(person)).toEqual({
    data: [whole(false), whole(true)],
    pagination: { count: 2 },
  });
  await service.database.query(
    'UPDATE sessions SET expires_at = now() WHERE id = (SELECT max(id) - 1 FROM sessions WHERE user_id = $1)',
    [user.id],
  );
  expect((await sessionsOf(elsewhere)).data).toEqual([whole(true)]);
});

test('an admin sees those of everybody in the account, and of nobody else', async () => {
  const foreign = await world(service);
  await signedIn((await foreign.user()).email);
  const { sessions } = await w.graphql.data<Page>(list());
  expect(sessions).toEqual({ data: [whole(false), whole(false)], pagination: { count: 2 } });
  const none = await w.graphql.data<Page>(list(`{user_id_eq: ${w.admin.id}}`));
  expect(none.sessions.data).toEqual([]);
});

test('me tells the session of a person, and none of a token', async () => {
  const ask = `{ me(account_id: ${w.accountId}) { user { id } session { id is_current user_id } } }`;
  const [, current] = (await sessionsOf(person)).data;
  expect(await person.graphql(ask)).toAnswer(200, {
    data: {
      me: {
        user: { id: user.id },
        session: { id: current?.id, is_current: true, user_id: user.id },
      },
    },
  });
  expect(await w.graphql.data(ask)).toEqual({ me: { user: { id: w.admin.id }, session: null } });
});

describe('a session is ended', () => {
  test('by whom it belongs to, or with its user, at once here and within 5 seconds elsewhere', async () => {
    const leaver = await w.user();
    const leaving = await signedIn(leaver.email);
    expect([await isLetIn(elsewhere, other), await isLetIn(leaving, other)]).toEqual([true, true]);
    const [theirs] = (await sessionsOf(person)).data;
    const sessionId = theirs?.id ?? 0;
    expect(await person.graphql(end(sessionId))).toAnswer(200, {
      data: { delete_session: { id: sessionId } },
    });
    expect([await isLetIn(elsewhere), await isLetIn(person)]).toEqual([false, true]);
    expect(codesOf(await person.graphql(end(sessionId)))).toEqual(['NOT_FOUND']);
    expect(await w.rest.delete(`/users/${leaver.id}`)).toAnswer(204);
    expect(await isLetIn(leaving)).toBe(false);
    await until(
      async () => (await isLetIn(elsewhere, other)) || (await isLetIn(leaving, other)),
      (letIn) => !letIn,
      5000,
    );
  }, 10_000);

  test('by an admin, and by no other member', async () => {
    const [theirs] = (await sessionsOf(person)).data;
    const sessionId = theirs?.id ?? 0;
    const colleague = await signedIn((await w.user()).email);
    expect(codesOf(await colleague.graphql(end(sessionId)))).toEqual(['NOT_FOUND']);
    const foreign = await world(service);
    expect(codesOf(await foreign.graphql.send(end(sessionId)))).toEqual(['NOT_FOUND']);
    expect(await isLetIn(elsewhere)).toBe(true);
    expect(await w.graphql.data(end(sessionId))).toEqual({ delete_session: { id: sessionId } });
    expect(await isLetIn(elsewhere)).toBe(false);
  });

  test('12 hours after its last use, and 7 days after it began', async () => {
    const hours = async () => {
      const [row] = await service.database.query<{ idle: number; all: number }>(
        `SELECT extract(epoch FROM expires_at - last_used_at) / 3600 AS idle,
           extract(epoch FROM expires_at - created_at) / 3600 AS all
         FROM sessions WHERE user_id = $1 ORDER BY id LIMIT 1`,
        [user.id],
      );
      return { idle: Number(row?.idle), all: Number(row?.all) };
    };
    const used = async (ago: string) => {
      await service.database.query(
        `UPDATE sessions SET created_at = now() - $2::interval, last_used_at = now() - interval '2 minutes'
         WHERE user_id = $1`,
        [user.id, ago],
      );
      // Another process has not remembered it.
      const third = await startService({ database: service.database });
      expect(await isLetIn(person, third)).toBe(true);
      await third.close();
    };
    expect(await hours()).toEqual({ idle: 12, all: 12 });
    await used('5 days');
    expect((await hours()).idle).toBe(12);
    await used('6 days 20 hours');
    const { idle, all } = await hours();
    expect([idle < 4.01, all]).toEqual([true, 168]);
  });
});

describe('a password', () => {
  const change = `mutation ($account: Integer!, $input: PasswordInput!) {
    change_password(account_id: $account, input: $input) { user { id } role session { is_current } } }`;
  const next = 'battery staple';
  const input = (fields: object = {}) => ({
    account: w.accountId,
    input: {
      current_password: 'correct horse',
      password: next,
      password_confirmation: next,
      ...fields,
    },
  });
  const fieldsOf = (answer: Awaited<ReturnType<Person['graphql']>>) =>
    answer.body.errors?.map(({ extensions }) => extensions.fields);

  test('is changed by a user who knows it, which ends the other sessions and keeps this one', async () => {
    expect(await isLetIn(elsewhere)).toBe(true);
    expect(await person.graphql(change, input())).toAnswer(200, {
      data: {
        change_password: { user: { id: user.id }, role: 'member', session: { is_current: true } },
      },
    });
    expect([await isLetIn(person), await isLetIn(elsewhere)]).toEqual([true, false]);
    expect(await elsewhere.signIn(user.email)).toAnswer(401);
    expect(await elsewhere.signIn(user.email, next)).toAnswer(201);
  });

  test('is not changed by a user who does not know it, nor to an invalid one', async () => {
    expect(fieldsOf(await person.graphql(change, input({ current_password: next })))).toEqual([
      { current_password: ['is invalid'] },
    ]);
    expect(
      fieldsOf(
        await person.graphql(
          change,
          input({ current_password: null, password: 'short', revoke_tokens: 'x' }),
        ),
      ),
    ).toEqual([
      {
        current_password: ["can't be blank"],
        password: ['is too short (minimum is 6 characters)'],
        password_confirmation: ["doesn't match Password"],
        revoke_tokens: ['must be true or false'],
      },
    ]);
    expect(await isLetIn(elsewhere)).toBe(true);
    expect(await elsewhere.signIn(user.email)).toAnswer(201);
  });

  test('cannot be guessed by anyone with a session', async () => {
    await service.database.query(
      `INSERT INTO sign_in_attempts (client, email_hash) SELECT '127.0.0.1', $1 FROM generate_series(1, 9)`,
      [createHash('sha256').update(`user ${user.id}`).digest('base64url')],
    );
    const wrong = await person.graphql(change, input({ current_password: next }));
    expect(fieldsOf(wrong)).toEqual([{ current_password: ['is invalid'] }]);
    expect(codesOf(await person.graphql(change, input()))).toEqual(['TOO_MANY_REQUESTS']);
    const told = await service.database.query<{ row: string }>(
      `SELECT user_id, token_id, record_type, record_id, before, after, audit_entries::text AS row
       FROM audit_entries WHERE account_id = $1 AND action = 'user.refuse_password'`,
      [w.accountId],
    );
    expect(told).toEqual([
      {
        user_id: user.id,
        token_id: null,
        record_type: 'user',
        record_id: user.id,
        before: null,
        after: { user_agent: '', ip: '127.0.0.1' },
        row: expect.not.stringContaining('battery'),
      },
    ]);
  });

  test('that is changed ends all tokens, too, when that is asked for', async () => {
    const rest = w.restAs(w.member.token);
    await service.database.query(
      'UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE id = $2) WHERE id = $1',
      [w.member.id, user.id],
    );
    const graphql = w.graphqlAs(w.member.token);
    expect(await graphql.data(change, input({ revoke_tokens: false }))).toEqual({
      change_password: { user: { id: w.member.id }, role: 'member', session: null },
    });
    expect(await rest.get('/me')).toAnswer(200);
    const again = input({ current_password: next, revoke_tokens: true });
    expect(codesOf(await graphql.send(change, again))).toBeUndefined();
    expect(await rest.get('/me')).toAnswer(401);
    const rows = await service.database.query(
      `SELECT action, before, after FROM audit_entries WHERE account_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 2`,
      [w.accountId, w.member.id],
    );
    expect(rows).toEqual([
      {
        action: 'token.revoke',
        before: { revoked_at: null },
        after: { revoked_at: expect.any(String) },
      },
      { action: 'user.update', before: {}, after: { password_changed: true } },
    ]);
  });

  test('that an admin sets ends the sessions of the user', async () => {
    const sent = { password: next, password_confirmation: next };
    expect(await w.rest.put(`/users/${user.id}`, sent)).toAnswer(200);
    expect([await isLetIn(person), await isLetIn(elsewhere)]).toEqual([false, false]);
  });
});
