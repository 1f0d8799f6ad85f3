/** People sign in with e-mail and password, and a cookie says who they are. */
import { describe, expect, test } from '@jest/globals';
import { Person } from '../kit/person.ts';
import { invalid, malformedJson, unsupported } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { moment } from '../kit/shapes.ts';
import { until } from '../kit/wait.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
/** Someone with a password. */
const { email, id: userId } = await w.user();

const refused = (sentence: string) => ({
  error: 'Unauthorized',
  code: 'unauthorized',
  errors: [sentence],
  request_id: expect.any(String),
});
const wrong = refused('The e-mail address or the password is wrong');
const signedOut = refused('Nobody is signed in here: there is no session, or it has ended');

const told = () => ({ account_id: w.accountId, user_id: userId, expires_at: moment });
const ask = () => `{ me(account_id: ${w.accountId}) { role user { id } } }`;
const me = () => ({ data: { me: { role: 'member', user: { id: userId } } } });

const isOpening = (texts: readonly string[]) =>
  texts.some((text) => text.includes('INSERT INTO sessions'));

async function signedIn(): Promise<Person> {
  const person = new Person(service.client);
  expect(await person.signIn(email)).toAnswer(201, told());
  return person;
}

test('signing in sets a cookie that lets in, and signing out ends it for good', async () => {
  const person = new Person(service.client);
  const { status, body, headers } = await person.signIn(email);
  expect([status, body, headers['cache-control']]).toEqual([201, told(), 'no-store']);
  expect(headers['set-cookie']).toEqual([
    expect.stringMatching(
      /^__Host-session=[\w-]{43}; Max-Age=604800; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
    ),
  ]);
  expect(await person.send('GET', '/session')).toAnswer(200, body);
  expect(await person.graphql(ask())).toAnswer(200, me());
  const stolen = person.cookie ?? '';
  const out = await person.send('DELETE', '/session');
  expect([out.status, out.text, out.headers['set-cookie']]).toEqual([
    204,
    '',
    ['__Host-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict'],
  ]);
  expect(await person.send('GET', '/session')).toAnswer(401, signedOut);
  expect(await person.send('GET', '/session', undefined, { cookie: stolen })).toAnswer(
    401,
    signedOut,
  );
  expect(await person.send('DELETE', '/session')).toAnswer(204);
});

test('an address is read as users have theirs, white space and capitals apart', async () => {
  const person = new Person(service.client);
  expect(await person.signIn(` ${email.toUpperCase()} `)).toAnswer(201, told());
});

describe('nobody is let in', () => {
  test.each([
    ['with another password', () => [email, 'correct horse ']],
    ['with the password in other letters', () => [email, 'Correct Horse']],
    ['by an address that nobody has', () => [unique('nobody'), 'correct horse']],
    ['by what is no address', () => ['nobody', 'correct horse']],
    ['by what is too long for one', () => [`a@${'ü'.repeat(7000)} b`, 'correct horse']],
    ['as a user without a password', () => [w.admin.email, 'correct horse']],
  ])('%s', async (_, credentials) => {
    const [address = '', password] = credentials();
    const { status, body, headers } = await new Person(service.client).signIn(address, password);
    expect([status, body, headers['set-cookie']]).toEqual([401, wrong, undefined]);
    expect(headers['www-authenticate']).toBe('Bearer');
  });

  test.each([
    ['nothing', {}, 422, invalid({ email: "can't be blank", password: "can't be blank" })],
    [
      'null and blanks',
      { email: null, password: '' },
      422,
      invalid({ email: "can't be blank", password: "can't be blank" }),
    ],
    [
      'what is no text',
      { email: {}, password: [] },
      422,
      invalid({ email: 'must be a string', password: 'must be a string' }),
    ],
    [
      'a password beyond any',
      { email: 'a@b.c', password: 'x'.repeat(129) },
      422,
      invalid({ password: 'is too long (maximum is 128 characters)' }),
    ],
    [
      'a list',
      '[]',
      422,
      {
        error: 'Validation failed',
        code: 'validation_failed',
        errors: ['Body must be an object'],
        fields: { body: ['must be an object'] },
        codes: { body: ['invalid'] },
        request_id: expect.any(String),
      },
    ],
    ['no JSON', '{"email"', 400, malformedJson],
    [
      'more than 16 KiB',
      `${' '.repeat(16 * 1024 - 1)}{}`,
      413,
      {
        error: 'Payload too large',
        code: 'payload_too_large',
        errors: ['The request body must not have more than 16,384 bytes, unpacked'],
        request_id: expect.any(String),
      },
    ],
  ])('with %s', async (_, body, status, expected) => {
    expect(await new Person(service.client).send('POST', '/session', body)).toAnswer(
      status,
      expected,
    );
  });

  test('whose user is deleted while they sign in', async () => {
    const leaving = await w.user();
    const letGo = await service.database.hold('DELETE FROM users WHERE id = $1', [leaving.id]);
    const signingIn = new Person(service.client).signIn(leaving.email);
    expect(isOpening(await until(() => service.database.atWork(0), isOpening, 5000))).toBe(true);
    await letGo('COMMIT');
    expect(await signingIn).toAnswer(401, wrong);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'by a body of %s',
    async (type) => {
      const body = JSON.stringify({ email, password: 'correct horse' });
      const sent = new Person(service.client).send('POST', '/session', body, {
        'content-type': type,
      });
      expect(await sent).toAnswer(415, unsupported);
    },
  );
});

test('each sign-in has a secret of its own, whatever cookie the browser came with', async () => {
  const fixed = 'A'.repeat(43);
  const victim = new Person(service.client, fixed);
  expect(await victim.signIn(email)).toAnswer(201, told());
  expect(victim.cookie).not.toContain(fixed);
  const attacker = new Person(service.client, fixed);
  expect(await attacker.send('GET', '/session')).toAnswer(401, signedOut);
  const first = victim.cookie ?? '';
  expect(await victim.signIn(email)).toAnswer(201, told());
  // Who signs in again at the same browser leaves no session behind.
  expect(await victim.send('GET', '/session', undefined, { cookie: first })).toAnswer(
    401,
    signedOut,
  );
  expect(await victim.send('GET', '/session')).toAnswer(200, told());
});

test('the cookie is known by /graphql and /session alone', async () => {
  const person = await signedIn();
  for (const path of ['/contacts/search', '/me', '']) {
    const { status } = await person.send('GET', `/api/v1/accounts/${w.accountId}${path}`);
    expect([path, status]).toEqual([path, 401]);
  }
});

test('where a request has a token, too, the token says who calls', async () => {
  const person = await signedIn();
  const query = { query: ask() };
  const as = (authorization: string) => person.send('POST', '/graphql', query, { authorization });
  const admin = { data: { me: { role: 'admin', user: { id: w.admin.id } } } };
  expect(await as(`Bearer ${w.admin.token}`)).toAnswer(200, admin);
  expect(await as('Bearer none')).toAnswer(401);
});

describe('a session ends', () => {
  const endsAt = (column: string, interval: string) =>
    service.database.query(
      `UPDATE sessions SET ${column} = now() - $2::interval WHERE user_id = $1`,
      [userId, interval],
    );

  test('when it was not used for its time', async () => {
    const person = await signedIn();
    await endsAt('expires_at', '1 second');
    expect(await person.send('GET', '/session')).toAnswer(401, signedOut);
    expect(await person.graphql(ask())).toAnswer(401);
  });

  test('with its user', async () => {
    const other = await w.user();
    const person = new Person(service.client);
    expect(await person.signIn(other.email)).toAnswer(201);
    expect(await person.send('GET', '/session')).toAnswer(200);
    expect(await w.rest.delete(`/users/${other.id}`)).toAnswer(204);
    expect(await person.send('GET', '/session')).toAnswer(401, signedOut);
  });
});

test('whoever becomes a member is one at once', async () => {
  const other = await w.user({ role: 'admin' });
  const person = new Person(service.client);
  expect(await person.signIn(other.email)).toAnswer(201);
  const rename = `mutation { create_pipeline(account_id: ${w.accountId}, input: {name: "x"}) { name } }`;
  expect(await person.graphql(rename)).toAnswer(200, { data: { create_pipeline: { name: 'x' } } });
  expect(await w.rest.put(`/users/${other.id}`, { role: 'member' })).toAnswer(200);
  const { body } = await person.graphql(rename);
  expect(body.errors?.map(({ extensions }) => extensions.code)).toEqual(['FORBIDDEN']);
});

test('the trail tells who signed in and out, from where, and what they did', async () => {
  const person = await signedIn();
  const name = unique('by a person');
  const create = `mutation { create_product(account_id: ${w.accountId}, input: {name: "${name}"}) { id } }`;
  expect(await person.graphql(create)).toAnswer(200);
  expect(await person.send('DELETE', '/session', undefined, { 'user-agent': 'x' })).toAnswer(204);
  const rows = await service.database.query(
    `SELECT user_id, token_id, action, before, after FROM audit_entries
     WHERE account_id = $1 AND user_id = $2 ORDER BY id DESC LIMIT 3`,
    [w.accountId, userId],
  );
  const session = { user_id: userId, user_agent: '', ip: '127.0.0.1' };
  expect(
    rows.map(({ after, ...row }) => (row['action'] === 'product.create' ? row : { ...row, after })),
  ).toEqual([
    { user_id: userId, token_id: null, action: 'session.delete', before: session, after: null },
    { user_id: userId, token_id: null, action: 'product.create', before: null },
    { user_id: userId, token_id: null, action: 'session.create', before: null, after: session },
  ]);
});
