/** Passwords and codes cannot be guessed by asking often, and nobody is locked out by others who do. */

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { clientOf } from '../../src/auth/client.ts';
import { hashPassword, setPasswordCost } from '../../src/auth/passwords.ts';
import { Person } from '../kit/person.ts';
import { type Service, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

const behindProxy = {
  TLS: 'proxy',
  TRUSTED_PROXIES: '127.0.0.1',
  TLS_CERT_FILE: '',
  TLS_KEY_FILE: '',
};

let service: Service;
/** Another process on the same database. */
let other: Service;
let w: World;
let email: string;
beforeAll(async () => {
  service = await startService({ env: behindProxy });
  other = await startService({ env: behindProxy, database: service.database });
  w = await world(other);
  // Written past the service, whose plain port takes nothing that did not come by TLS.
  setPasswordCost(1024);
  const [row] = await service.database.query<{ id: number; email: string }>(
    'UPDATE users SET password_hash = $2 WHERE id = $1 RETURNING email',
    [w.member.id, await hashPassword('correct horse', 'test')],
  );
  email = row?.email ?? '';
});
afterAll(async () => {
  await other.close();
  await service.close();
});

let clients = 0;
/** An address that nobody used before. */
const newIp = () => `203.0.${Math.floor((clients += 1) / 250)}.${clients % 250}`;

const via = (ip: string) => ({ 'x-forwarded-for': ip, 'x-forwarded-proto': 'https' });

const signIn = (ip: string, address: string, password: string, by = service) =>
  new Person(by.client).send('POST', '/session', { email: address, password }, via(ip));

/** Records failures of a client as of `minutes` ago. */
async function failed(ip: string, count: number, address?: string, minutes = 0): Promise<void> {
  await service.database.query(
    `INSERT INTO sign_in_attempts (client, email_hash, created_at)
     SELECT $1, coalesce($2, n::text), now() - make_interval(mins => $4) FROM generate_series(1, $3) AS n`,
    [
      clientOf(ip),
      address === undefined ? null : createHash('sha256').update(address).digest('base64url'),
      count,
      minutes,
    ],
  );
}

const tooMany = (minutes: number) => ({
  error: 'Too many requests',
  code: 'too_many_requests',
  errors: [`Too many attempts failed: try again in ${minutes} minutes`],
  request_id: expect.any(String),
});

describe('one client', () => {
  test('that fails 10 times with one address waits, and knows for how long', async () => {
    const ip = newIp();
    await failed(ip, 9, email, 5);
    expect(await signIn(ip, email, 'wrong')).toAnswer(401);
    const answer = await signIn(ip, email, 'correct horse');
    expect(answer).toAnswer(429, tooMany(10));
    expect(Number(answer.headers['retry-after']) / 600).toBeCloseTo(1, 1);
    // The right password of somebody else is as good as ever, and so is another client.
    expect(await signIn(ip, unique('nobody'), 'wrong')).toAnswer(401);
    expect(await signIn(newIp(), email, 'correct horse')).toAnswer(201);
  });

  test('that fails 50 times with any addresses waits', async () => {
    const ip = newIp();
    await failed(ip, 49, undefined, 5);
    expect(await signIn(ip, unique('nobody'), 'wrong')).toAnswer(401);
    expect(await signIn(ip, email, 'correct horse')).toAnswer(429, tooMany(10));
    expect(await signIn(newIp(), email, 'correct horse')).toAnswer(201);
  });

  test('is refused by the other process, too', async () => {
    const ip = newIp();
    await failed(ip, 10, email);
    expect(await signIn(ip, email, 'correct horse', other)).toAnswer(429, tooMany(15));
    expect(await signIn(ip, email, 'correct horse')).toAnswer(429, tooMany(15));
  });

  test('of IPv6 is a network', async () => {
    await failed('2001:db8:0:1::1', 10, email);
    expect(await signIn('2001:db8:0:1:ffff::2', email, 'correct horse')).toAnswer(429);
    expect(await signIn('2001:db8:0:2::1', email, 'correct horse')).toAnswer(201);
  });

  test('is one, whatever port its proxy tells with the address', async () => {
    const ip = newIp();
    await failed(ip, 10, email);
    expect(await signIn(`${ip}:49152`, email, 'correct horse')).toAnswer(429, tooMany(15));
    expect(await signIn(`${ip}:49153`, email, 'correct horse')).toAnswer(429, tooMany(15));
  });

  test.each([
    ['a tag', '<script>'],
    ['a long text', 'x'.repeat(5000)],
    ['an address with a long zone', `fe80::1%${'x'.repeat(5000)}`],
    ['something after an address', '203.0.113.7, <script>'],
  ])('is its proxy where that tells %s', async (_, forwarded) => {
    expect(await signIn(forwarded, email, 'correct horse')).toAnswer(201);
    const [session] = await service.database.query<{ ip: string }>(
      'SELECT ip FROM sessions WHERE user_id = $1 ORDER BY id DESC LIMIT 1',
      [w.member.id],
    );
    expect(session).toEqual({ ip: '127.0.0.1' });
  });

  test('is not held to what it failed 15 minutes ago', async () => {
    const ip = newIp();
    await failed(ip, 60, email, 15);
    expect(await signIn(ip, email, 'correct horse')).toAnswer(201);
  });

  test('that succeeds has not failed', async () => {
    const ip = newIp();
    await failed(ip, 9, email);
    for (let time = 0; time < 3; time += 1) {
      expect(await signIn(ip, email, 'correct horse')).toAnswer(201);
    }
  });

  test('fails 10 times and no more, though it asks 30 times at once by two processes', async () => {
    const ip = newIp();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => signIn(ip, email, 'wrong', n % 2 ? other : service)),
    );
    const statuses = answers.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
  });

  test('that tries 50 codes of links waits, too, and not one that has a few old links', async () => {
    const ip = newIp();
    await failed(ip, 49, '');
    const guess = () =>
      new Person(service.client).send(
        'POST',
        '/session',
        { code: 'A'.repeat(22), password: 'abcdef', password_confirmation: 'abcdef' },
        via(ip),
      );
    expect(await guess()).toAnswer(401);
    expect(await guess()).toAnswer(429, tooMany(15));
  });
});

test('a stolen token with which a password is guessed keeps nobody from changing it elsewhere', async () => {
  const changed = async (ip: string) => {
    const query = `mutation ($account: Integer!, $input: PasswordInput!) {
      change_password(account_id: $account, input: $input) { role } }`;
    const password = 'correct horse';
    const input = { current_password: password, password, password_confirmation: password };
    const headers = { ...via(ip), authorization: `Bearer ${w.member.token}` };
    const asked = { query, variables: { account: w.accountId, input } };
    const { body } = await new Person(service.client).send('POST', '/graphql', asked, headers);
    return body;
  };
  const ip = newIp();
  await failed(ip, 10, `user ${w.member.id}`);
  expect(await changed(ip)).toEqual({
    data: { change_password: null },
    errors: [
      {
        message: 'Too many requests',
        path: ['change_password'],
        extensions: { code: 'TOO_MANY_REQUESTS', errors: tooMany(15).errors },
      },
    ],
  });
  expect(await changed(newIp())).toEqual({ data: { change_password: { role: 'member' } } });
});

test('a client that is refused costs no statement', async () => {
  const ip = newIp();
  await failed(ip, 10, email);
  expect(await signIn(ip, email, 'wrong')).toAnswer(429);
  service.statements.length = 0;
  const answers = await Promise.all([1, 2, 3, 4].map(() => signIn(ip, email, 'wrong')));
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 429, 429]);
  expect(service.statements).toEqual([]);
});

test('an address that nobody has takes the same statements as a wrong password', async () => {
  const ip = newIp();
  const costOf = async (address: string) => {
    service.statements.length = 0;
    const sent = { email: address, password: 'wrong' };
    const headers = { ...via(ip), 'x-request-id': 'one' };
    const { status, text } = await new Person(service.client).send(
      'POST',
      '/session',
      sent,
      headers,
    );
    return { status, text, statements: [...service.statements] };
  };
  await costOf(email);
  const known = await costOf(email);
  expect([known.status, known.statements.length]).toEqual([401, 4]);
  expect(await costOf(unique('nobody'))).toEqual(known);
  // One without a password, such as somebody who is invited.
  expect(await costOf(w.admin.email)).toEqual(known);
});

test('a refusal is told in the trail of the user’s account, and what was tried is not', async () => {
  const ip = newIp();
  expect(await signIn(ip, email, 'a wrong guess')).toAnswer(401);
  const rows = await service.database.query<{ row: string }>(
    `SELECT user_id, token_id, action, record_type, record_id, before, after, audit_entries::text AS row
     FROM audit_entries WHERE account_id = $1 ORDER BY id DESC LIMIT 1`,
    [w.accountId],
  );
  expect(rows).toEqual([
    {
      user_id: null,
      token_id: null,
      action: 'user.refuse_sign_in',
      record_type: 'user',
      record_id: w.member.id,
      before: null,
      after: { user_agent: '', ip },
      row: expect.not.stringContaining('guess'),
    },
  ]);
});

test('what is over is removed', async () => {
  const third = await startService({ database: service.database });
  const person = new Person(third.client);
  await failed(newIp(), 3, email, 16);
  await service.database.query(
    `INSERT INTO sessions (account_id, user_id, token_hash, expires_at)
     VALUES ($1, $2, 'x', now() - interval '1 second')`,
    [w.accountId, w.member.id],
  );
  await service.database.query(
    `INSERT INTO sign_in_codes (account_id, user_id, code_hash, expires_at)
     VALUES ($1, $2, 'x', now() - interval '1 second')`,
    [w.accountId, w.member.id],
  );
  expect(await person.signIn(email)).toAnswer(201);
  const over = await service.database.query(
    `SELECT 'attempt' AS kind FROM sign_in_attempts WHERE created_at < now() - interval '15 minutes'
     UNION ALL SELECT 'session' FROM sessions WHERE expires_at < now()
     UNION ALL SELECT 'code' FROM sign_in_codes WHERE expires_at < now()`,
  );
  expect(over).toEqual([]);
  await third.close();
});
