/** A link with a code lets a user set a password and signs them in, once. */

import { describe, expect, test } from '@jest/globals';
import { Person } from '../kit/person.ts';
import type { User } from '../kit/records.ts';
import { invalid } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { id, moment } from '../kit/shapes.ts';
import { until } from '../kit/wait.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

interface Link {
  readonly url: string;
  readonly expires_at: string;
}

const password = 'battery staple';
const ended = {
  error: 'Unauthorized',
  code: 'unauthorized',
  errors: ['This link is not valid, was used before, or has expired: ask for a new one'],
  request_id: expect.any(String),
};

const invite = `mutation ($account: Integer!, $input: InvitationInput!) {
  invite_user(account_id: $account, input: $input) { user { id email role full_name } link { url expires_at } } }`;
const link = `mutation ($account: Integer!, $user: Integer!) {
  create_sign_in_link(account_id: $account, user_id: $user) { url expires_at } }`;

/** A user without a password, and the code to set one. */
async function invited(): Promise<{ readonly email: string; readonly id: number; code: string }> {
  const input = { email: unique('invited') };
  const { invite_user } = await w.graphql.data<{ invite_user: { user: User; link: Link } }>(
    invite,
    {
      account: w.accountId,
      input,
    },
  );
  return { ...input, id: invite_user.user.id, code: codeOf(invite_user.link) };
}

const codeOf = ({ url }: Link) => url.slice(url.indexOf('#') + 1);

async function linkFor(userId: number): Promise<Link> {
  const variables = { account: w.accountId, user: userId };
  return (await w.graphql.data<{ create_sign_in_link: Link }>(link, variables)).create_sign_in_link;
}

/** What the trail says of links that have ended. */
const endedLinks = (userId: number) =>
  service.database.query(
    `SELECT user_id, before, after FROM audit_entries
     WHERE account_id = $1 AND action = 'sign_in_code.delete' AND before->>'user_id' = $2::text`,
    [w.accountId, userId],
  );

const redeem = (code: string, sent: object = {}, person = new Person(service.client)) =>
  person.send('POST', '/session', {
    code,
    password,
    password_confirmation: password,
    ...sent,
  });

const opened = (userId: number) => ({
  account_id: w.accountId,
  user_id: userId,
  expires_at: moment,
});

test('who is invited sets a password, is signed in, and signs in with it from then on', async () => {
  const input = { email: unique('invited'), role: 'admin', full_name: ' New  Admin ' };
  const asked = Date.now();
  const { invite_user: invitation } = await w.graphql.data<{
    invite_user: { user: User; link: Link };
  }>(invite, { account: w.accountId, input });
  expect(invitation).toEqual({
    user: { id, email: input.email, role: 'admin', full_name: 'New Admin' },
    link: {
      url: expect.stringMatching(
        new RegExp(`^${service.url.replaceAll('.', '\\.')}/console/welcome#[\\w-]{22}$`),
      ),
      expires_at: moment,
    },
  });
  const lasting = Date.parse(invitation.link.expires_at) - asked;
  expect(lasting / (7 * 24 * 60 * 60_000)).toBeCloseTo(1, 3);
  const person = new Person(service.client);
  expect(await redeem(codeOf(invitation.link), {}, person)).toAnswer(
    201,
    opened(invitation.user.id),
  );
  expect(await person.send('GET', '/session')).toAnswer(200, opened(invitation.user.id));
  expect(await new Person(service.client).signIn(input.email, password)).toAnswer(201);
});

test('whether somebody has set a password is known to their colleagues over GraphQL alone', async () => {
  const { id, code } = await invited();
  const member = w.graphqlAs(w.member.token);
  const read = () =>
    member.data(
      'query ($account: Integer!, $id: Integer!) { user(account_id: $account, id: $id) { has_password } }',
      {
        account: w.accountId,
        id,
      },
    );
  expect(await read()).toEqual({ user: { has_password: false } });
  expect((await w.rest.get(`/users/${id}`)).body).not.toHaveProperty('has_password');
  await redeem(code);
  expect(await read()).toEqual({ user: { has_password: true } });
});

test('nobody signs in as a user who has not set a password', async () => {
  const { email } = await invited();
  for (const guess of ['', ' ', 'scrypt', 'undefined']) {
    const { status } = await new Person(service.client).signIn(email, guess);
    expect([guess, status]).toEqual([guess, guess === '' ? 422 : 401]);
  }
});

describe('a code', () => {
  test('works once', async () => {
    const { code, id: userId } = await invited();
    expect(await redeem(code)).toAnswer(201, opened(userId));
    expect(await redeem(code, { password: 'another', password_confirmation: 'another' })).toAnswer(
      401,
      ended,
    );
  });

  test('works for one of two who use it at once', async () => {
    const { code, email } = await invited();
    const passwords = ['the first', 'the other'];
    const answers = await Promise.all(
      passwords.map((each) => redeem(code, { password: each, password_confirmation: each })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
    const signedIn = await Promise.all(
      passwords.map((each) => new Person(service.client).signIn(email, each)),
    );
    expect(signedIn.map(({ status }) => status)).toEqual(answers.map(({ status }) => status));
  });

  test('works until it has expired', async () => {
    const { code, id: userId } = await invited();
    const endIn = (interval: string) =>
      service.database.query(
        'UPDATE sign_in_codes SET expires_at = now() + $2::interval WHERE user_id = $1',
        [userId, interval],
      );
    await endIn('-1 second');
    expect(await redeem(code)).toAnswer(401, ended);
    await endIn('10 seconds');
    expect(await redeem(code)).toAnswer(201);
  });

  test('is ended by a newer one', async () => {
    const { code, id: userId } = await invited();
    const newer = await linkFor(userId);
    expect(await redeem(code)).toAnswer(401, ended);
    expect(await redeem(codeOf(newer))).toAnswer(201, opened(userId));
  });

  const sent = { password: 'another one', password_confirmation: 'another one' };

  test.each([
    ['e-mail address', () => ({ email: unique('moved') })],
    ['password', () => sent],
  ])('is ended by another %s, which the trail tells', async (_, change) => {
    const { code, id: userId } = await invited();
    expect(await w.rest.put(`/users/${userId}`, { full_name: 'No other' })).toAnswer(200);
    expect(await endedLinks(userId)).toEqual([]);
    expect(await w.rest.put(`/users/${userId}`, change())).toAnswer(200);
    expect(await redeem(code)).toAnswer(401, ended);
    expect(await endedLinks(userId)).toEqual([
      { user_id: w.admin.id, before: { user_id: userId, expires_at: moment }, after: null },
    ]);
  });

  test('is ended by its user, who changes the password', async () => {
    const user = await w.user();
    const person = new Person(service.client);
    expect(await person.signIn(user.email)).toAnswer(201);
    const code = codeOf(await linkFor(user.id));
    const changed = await person.graphql(
      `mutation ($account: Integer!, $input: PasswordInput!) {
        change_password(account_id: $account, input: $input) { user { id } } }`,
      { account: w.accountId, input: { current_password: 'correct horse', ...sent } },
    );
    expect(changed).toAnswer(200, { data: { change_password: { user: { id: user.id } } } });
    expect(await redeem(code)).toAnswer(401, ended);
    expect(await endedLinks(user.id)).toEqual([
      { user_id: user.id, before: { user_id: user.id, expires_at: moment }, after: null },
    ]);
  });

  test('goes with its user', async () => {
    const { code, id: userId } = await invited();
    expect(await w.rest.delete(`/users/${userId}`)).toAnswer(204);
    expect(await redeem(code)).toAnswer(401, ended);
  });

  test.each([
    ['another', (code: string) => `${code.slice(0, -1)}${code.endsWith('A') ? 'B' : 'A'}`],
    ['part of it', (code: string) => code.slice(0, -1)],
    ['more than it', (code: string) => `${code}A`],
    ['its hash', () => ''],
  ])('does not work as %s', async (name, guess) => {
    const { code, id: userId } = await invited();
    const [stored] = await service.database.query<{ code_hash: string }>(
      'SELECT code_hash FROM sign_in_codes WHERE user_id = $1',
      [userId],
    );
    expect(stored?.code_hash).toMatch(/^[\w-]{43}$/);
    expect(await redeem(guess(code) || (stored?.code_hash ?? ''))).toAnswer(401, ended);
    expect([name, (await redeem(code)).status]).toEqual([name, 201]);
  });

  test('still works after an invalid password', async () => {
    const { code } = await invited();
    const short = { password: 'short', password_confirmation: 'other' };
    expect(await redeem(code, short)).toAnswer(
      422,
      invalid({
        password: 'is too short (minimum is 6 characters)',
        password_confirmation: "doesn't match Password",
      }),
    );
    expect(await redeem(code, { password: null, password_confirmation: undefined })).toAnswer(
      422,
      invalid({ password: "can't be blank", password_confirmation: "can't be blank" }),
    );
    expect(await redeem(code)).toAnswer(201);
  });
});

test('a new password by a link ends the sessions of the old one', async () => {
  const user = await w.user();
  const person = new Person(service.client);
  expect(await person.signIn(user.email)).toAnswer(201);
  expect(await person.send('GET', '/session')).toAnswer(200);
  expect(await redeem(codeOf(await linkFor(user.id)))).toAnswer(201);
  expect(await person.send('GET', '/session')).toAnswer(401);
  expect(await person.signIn(user.email)).toAnswer(401);
});

test('there is no link for a user who is deleted while it is made', async () => {
  const { id: userId } = await w.user();
  const letGo = await service.database.hold('DELETE FROM users WHERE id = $1', [userId]);
  const making = w.graphql.send(
    `mutation { create_sign_in_link(account_id: ${w.accountId}, user_id: ${userId}) { url } }`,
  );
  const isInserting = (texts: readonly string[]) =>
    texts.some((text) => text.includes('INSERT INTO sign_in_codes'));
  expect(isInserting(await until(() => service.database.atWork(0), isInserting, 5000))).toBe(true);
  await letGo('COMMIT');
  expect((await making).body).toMatchObject({
    data: { create_sign_in_link: null },
    errors: [{ extensions: { code: 'NOT_FOUND' } }],
  });
});

test('members make no links and invite nobody; nor does anybody in another account', async () => {
  const other = await world(service);
  const codes = async (token: string, account: number, user: number) => {
    const graphql = w.graphqlAs(token);
    const answers = await Promise.all([
      graphql.send(link, { account, user }),
      graphql.send(invite, { account, input: { email: unique('x') } }),
    ]);
    return answers.map(({ body }) => body.errors?.map(({ extensions }) => extensions.code));
  };
  expect(await codes(w.member.token, w.accountId, w.admin.id)).toEqual([
    ['FORBIDDEN'],
    ['FORBIDDEN'],
  ]);
  expect(await codes(other.admin.token, w.accountId, w.admin.id)).toEqual([
    ['NOT_FOUND'],
    ['NOT_FOUND'],
  ]);
  const foreign = await other.graphql.send(link, { account: other.accountId, user: w.admin.id });
  expect(foreign.body.errors?.map(({ extensions }) => extensions.code)).toEqual(['NOT_FOUND']);
});

test('an invitation is checked as a new user is', async () => {
  const answer = await w.graphql.send(invite, {
    account: w.accountId,
    input: { email: w.admin.email, language: 'xx', role: 'owner' },
  });
  expect(answer.body.errors?.map(({ extensions }) => extensions.fields)).toEqual([
    {
      email: ['has already been taken'],
      language: ['is not included in the list (en, pt-BR, es, de)'],
      role: ['is not included in the list (member, admin)'],
    },
  ]);
  const blank = await w.graphql.send(invite, { account: w.accountId, input: {} });
  expect(blank.body.errors?.map(({ extensions }) => extensions.fields)).toEqual([
    { email: ["can't be blank"] },
  ]);
});

test('the trail tells of links and of passwords, and of neither what it is', async () => {
  const { id: userId, code } = await invited();
  expect(await redeem(code)).toAnswer(201);
  const rows = await service.database.query<{ action: string; row: string }>(
    `SELECT user_id, action, record_type, before, after, audit_entries::text AS row FROM audit_entries
     WHERE account_id = $1 AND (user_id = $2 OR after->>'user_id' = $2::text OR record_id = $2) ORDER BY id`,
    [w.accountId, userId],
  );
  expect(rows.map(({ row: _, ...entry }) => entry)).toEqual([
    expect.objectContaining({ user_id: w.admin.id, action: 'user.create' }),
    {
      user_id: w.admin.id,
      action: 'sign_in_code.create',
      record_type: 'sign_in_code',
      before: null,
      after: { user_id: userId, expires_at: moment },
    },
    {
      user_id: userId,
      action: 'sign_in_code.delete',
      record_type: 'sign_in_code',
      before: { user_id: userId, expires_at: moment },
      after: null,
    },
    {
      user_id: userId,
      action: 'user.update',
      record_type: 'user',
      before: {},
      after: { password_changed: true },
    },
    {
      user_id: userId,
      action: 'session.create',
      record_type: 'session',
      before: null,
      after: { user_id: userId, user_agent: '', ip: '127.0.0.1' },
    },
  ]);
  for (const { row } of rows) expect(row).not.toContain(code);
  expect(service.logged.filter((line) => line.includes(code))).toEqual([]);
});
