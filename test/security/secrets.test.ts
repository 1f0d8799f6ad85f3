/** Nothing secret in a log, an error or the trail. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, secret, startService } from '../kit/service.ts';
import { unique, type World, world } from '../kit/world.ts';

const password = 'a-password-nobody-may-read';

let service: Service;
let w: World;
/** Texts of every answer of the calls below. */
const answers: string[] = [];

beforeAll(async () => {
  service = await startService();
  w = await world(service);
  const user = { email: unique('secret'), password, password_confirmation: password };
  const calls = [
    () => w.rest.post('/users', user),
    () => w.rest.post('/users', user),
    () => w.rest.post('/users', { ...user, password_confirmation: `${password}!` }),
    () => w.rest.post('/users', { ...user, email: 'x' }),
    () => w.rest.post('/users', `{"email":"x","password":"${password}"`),
    () =>
      w.rest.get(
        `/contacts/search?query[email_eq]=${encodeURIComponent(password)}&token=${w.admin.token}`,
      ),
    () => w.restAs(`${w.admin.token}x`).get('/contacts/1'),
    () => w.rest.get('/contacts/1'),
    () => w.rest.post('/contacts', {}, { 'content-type': 'text/plain' }),
    () =>
      w.graphql.send(
        `mutation ($input: UserInput!) { create_user(account_id: ${w.accountId}, input: $input) { id } }`,
        { input: user },
      ),
    () =>
      w.graphql.send(
        `mutation { create_user(account_id: ${w.accountId}, input: {password: "${password}"}) { id } }`,
      ),
    () => w.graphql.send(`mutation { nope(password: "${password}") }`),
  ];
  for (const call of calls) answers.push((await call()).text);
  // A fault of ours, which is logged with its cause.
  await service.database.query('ALTER TABLE users RENAME COLUMN job_description TO job');
  for (const call of [calls[0], calls[9]]) if (call) answers.push((await call()).text);
});
afterAll(() => service.close());

test('the log has lines, the fault of ours among them', () => {
  expect(service.logged.filter((line) => line.includes('"level":"error"')).length).toBeGreaterThan(
    0,
  );
});

test.each([
  ['a password', () => password],
  ['a token', () => w.admin.token],
  ['the signature of a token', () => w.admin.token.split('.')[2] ?? ''],
  ['the secret that signs tokens', () => secret],
  ['a password’s hash', () => 'scrypt$'],
  ['the password of the database', () => new URL(service.database.url).password],
])('no line of the log holds %s', (_, value) => {
  expect(value().length).toBeGreaterThan(5);
  expect(service.logged.filter((line) => line.includes(value()))).toEqual([]);
});

test('no answer holds a password, a hash, SQL, a path or a stack', () => {
  for (const text of answers) {
    expect(text).not.toContain(password);
    expect(text).not.toMatch(/scrypt|INSERT INTO|SELECT |node_modules|\/src\/|at [A-Za-z]+ \(/);
  }
});

test('no row of the trail holds one', async () => {
  const rows = await service.database.query<{ row: string }>(
    'SELECT audit_entries::text AS row FROM audit_entries',
  );
  expect(rows.length).toBeGreaterThan(0);
  for (const { row } of rows) expect(row).not.toMatch(/password|scrypt|a-password-nobody/);
});

test('no token is kept: only its id and what it is for', async () => {
  const rows = await service.database.query<{ row: string }>(
    'SELECT api_tokens::text AS row FROM api_tokens',
  );
  expect(rows.filter(({ row }) => row.includes('eyJ'))).toEqual([]);
});
