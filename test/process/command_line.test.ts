import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { main, type Outcome, runCommand } from '../kit/command.ts';
import { createDatabase, createLatinDatabase, type TestDatabase } from '../kit/database.ts';
import { runHere, shipped } from '../kit/shared.ts';

const { keysOf } = await shipped<typeof import('../../src/auth/keys.ts')>('auth/keys.js');
const { verifyPassword } =
  await shipped<typeof import('../../src/auth/passwords.ts')>('auth/passwords.js');
const { Verifier } = await shipped<typeof import('../../src/auth/verifier.ts')>('auth/verifier.js');
const { readConfig } =
  await shipped<typeof import('../../src/config/config.ts')>('config/config.js');
const { openDatabase } = await shipped<typeof import('../../src/db/open.ts')>('db/open.js');
const { demoOnFirstStart } =
  await shipped<typeof import('../../src/demo/first_start.ts')>('demo/first_start.js');

// Whole processes are started, on machines that may be busy.
jest.setTimeout(60_000);

const secret = 'a secret of thirty-two bytes, at least';

let file: TestDatabase;
beforeAll(async () => {
  file = await createDatabase();
});
afterAll(() => file.close());

const environment = () => ({ DATABASE_URL: file.url, JWT_SECRET: secret });

const crm = (args: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') =>
  runHere(args, { ...environment(), ...env }, { input });

/** The same in a process of its own, for what is about processes. */
const crmProcess = (args: readonly string[], env: NodeJS.ProcessEnv = {}, input = '') =>
  runCommand(args, { ...environment(), ...env }, input);

/** What a command prints that succeeds: one JSON value. */
function parsed({ code, out, err }: Outcome): unknown {
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out);
}

const answer = async (...args: string[]) => parsed(await crm(args));

/** Creates a user whose password is typed, with whatever ends a line there. */
const userOf = async (input: string, ...args: string[]) =>
  parsed(await crm(['user', 'create', ...args, '--password-stdin'], {}, input));

test('an account, its user, its pipeline, and a token from issue to revocation', async () => {
  const account = await answer('account', 'create', '--name', 'Acme');
  expect(account).toMatchObject({ id: expect.any(Number), name: 'Acme' });
  const [{ id } = { id: 0 }] = await file.query<{ id: number }>('SELECT id FROM accounts');
  const of = ['--account', String(id)];

  const email = 'ana@acme.test';
  const person = ['--email', 'Ana@Acme.test', '--full-name', 'Ana', '--language', 'pt-BR'];
  expect(await userOf(' secret 1 \r\n', ...of, ...person, '--role', 'admin')).toMatchObject({
    email,
    role: 'admin',
    full_name: 'Ana',
    language: 'pt-BR',
    account_id: id,
  });
  const [kept] = await file.query<{ password_hash: string }>(
    'SELECT password_hash FROM users WHERE email = $1',
    [email],
  );
  expect(await verifyPassword(' secret 1 ', kept?.password_hash ?? '', 'test')).toBe(true);

  expect(
    await answer('pipeline', 'create', ...of, '--name', 'Sales', '--stages', 'New, Talking ,Won'),
  ).toMatchObject({
    id: expect.any(Number),
    name: 'Sales',
    stages: ['New', 'Talking', 'Won'].map((name, at) => ({
      id: expect.any(Number),
      name,
      position: at + 1,
    })),
  });

  const asked = ['--email', email, '--name', 'ci', '--scopes', 'read, deals:write'];
  const token = await crm(['token', 'create', ...asked, '--expires-in', 'never']);
  expect(token).toEqual({
    code: 0,
    err: '',
    out: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+\n$/),
  });
  const database = await openDatabase({ url: file.url });
  const viewer = await new Verifier(database, keysOf([secret])).verify(
    `Bearer ${token.out.trim()}`,
  );
  expect(viewer).toMatchObject({ accountId: id, role: 'admin' });
  expect(viewer.scopes.given).toEqual(['read', 'deals:write']);
  await database.close();

  const listed = {
    id: viewer.tokenId,
    name: 'ci',
    scopes: ['read', 'deals:write'],
    expires_at: null,
    revoked_at: null,
  };
  expect(await answer('token', 'list', '--email', email)).toMatchObject([listed]);
  expect(await answer('token', 'revoke', '--id', String(viewer.tokenId))).toMatchObject({
    id: viewer.tokenId,
    revoked_at: expect.any(String),
  });
});

test('an account is created with its settings and a first pipeline, or not at all', async () => {
  const settings = ['--country', 'BR', '--time-zone', 'America/Recife', '--currency', 'BRL'];
  const created = ['account', 'create', '--name', 'Ready', ...settings];
  expect(await answer(...created, '--pipeline', 'Sales,New,Offer')).toMatchObject({
    name: 'Ready',
    default_country: 'BR',
    time_zone: 'America/Recife',
    currency: 'BRL',
    pipeline: { name: 'Sales', stages: [{ name: 'New' }, { name: 'Offer' }] },
  });
  const refused = ['account', 'create', '--name', 'Refused', '--currency', 'Reais'];
  expect(await crm(refused)).toMatchObject({ code: 1, out: '' });
  const blank = ['account', 'create', '--name', 'Refused', '--pipeline', 'Sales, ,New'];
  expect(await crm(blank)).toMatchObject({ code: 1, out: '' });
  const found = "SELECT count(*)::integer AS count FROM accounts WHERE name = 'Refused'";
  expect(await file.query(found)).toEqual([{ count: 0 }]);
});

test('a password comes from standard input when it changes, too', async () => {
  const account = await answer('account', 'create', '--name', 'Changes');
  const { id } = account as { id: number };
  await userOf('secret1', '--account', String(id), '--email', 'rui@acme.test');
  const change = ['user', 'update', '--email', 'rui@acme.test', '--password-stdin'];
  expect(parsed(await crmProcess(change, {}, 'another\n'))).toMatchObject({
    email: 'rui@acme.test',
  });
  const [kept] = await file.query<{ password_hash: string }>(
    "SELECT password_hash FROM users WHERE email = 'rui@acme.test'",
  );
  expect(await verifyPassword('another', kept?.password_hash ?? '', 'test')).toBe(true);
  expect(await crm(change, {}, 'short')).toEqual({
    code: 1,
    out: '',
    err: 'Password is too short (minimum is 6 characters)\n',
  });
});

async function tokensOf(email: string) {
  const { out } = await crm(['token', 'list', '--email', email]);
  const tokens: { id: number; revoked_at: string | null }[] = JSON.parse(out);
  return tokens;
}

test('what the command line creates is in the audit trail, as its operator did it', async () => {
  const account = await answer('account', 'create', '--name', ' Trail ');
  const [{ id } = { id: 0 }] = await file.query<{ id: number }>(
    "SELECT id FROM accounts WHERE name = 'Trail'",
  );
  expect(account).toEqual({ id, name: 'Trail', created_at: expect.any(String) });
  const of = ['--account', String(id)];
  await userOf('secret1', ...of, '--email', 'eve@acme.test');
  await answer('pipeline', 'create', ...of, '--name', 'Sales', '--stages', 'New');
  await crm(['token', 'create', '--email', 'eve@acme.test', '--name', 'ci']);
  const [token] = await tokensOf('eve@acme.test');
  // A second revocation changes nothing.
  for (let time = 0; time < 2; time++) {
    await answer('token', 'revoke', '--id', String(token?.id));
  }
  const [{ revoked_at } = { revoked_at: null }] = await tokensOf('eve@acme.test');
  const trail = await file.query(
    `SELECT action, record_type, user_id, token_id, before, request_id, record_id = account_id AS itself,
       after->>'name' AS name, after->>'revoked_at' AS revoked_at
     FROM audit_entries WHERE account_id = $1 ORDER BY id`,
    [id],
  );
  const by = { user_id: null, token_id: null, request_id: 'cli' };
  const entry = (action: string, name: string | null) => {
    const record_type = action.replace(/\..*/, '');
    const itself = record_type === 'account';
    return { ...by, action, record_type, before: null, itself, name, revoked_at: null };
  };
  expect(trail).toEqual([
    entry('account.create', 'Trail'),
    entry('user.create', null),
    entry('pipeline.create', 'Sales'),
    entry('stage.create', 'New'),
    entry('token.create', 'ci'),
    { ...entry('token.revoke', null), before: { revoked_at: null }, revoked_at },
  ]);
});

test('migrate says what it applied, doctor hides what is secret', async () => {
  expect(await answer('migrate')).toEqual({ applied: [], current: true });
  const { out } = await crm(['doctor']);
  expect(JSON.parse(out)).toMatchObject({
    configuration: { port: 8443, jwtSecret: '[hidden]' },
    healthy: true,
    database: { reachable: true, migrations: { current: true }, secrets: { difference: null } },
  });
  expect(out).not.toContain(secret);
  expect(out).not.toContain(new URL(file.url).password);
});

test('doctor tells which letters the indexes of texts know', async () => {
  expect(await answer('doctor')).toMatchObject({ database: { text_search: 'indexed' } });
  const latin = await createLatinDatabase();
  const env = { DATABASE_URL: latin.url, JWT_SECRET: secret };
  expect(parsed(await runHere(['migrate'], env))).toMatchObject({ current: true });
  expect(parsed(await runHere(['doctor'], env))).toMatchObject({
    healthy: true,
    database: { text_search: expect.stringMatching(/^indexed for Latin letters alone: /) },
  });
  await latin.close();
});

describe('a database that lacks a migration', () => {
  let last: string;
  let behind: TestDatabase;
  beforeAll(async () => {
    behind = await createDatabase();
    const [gone] = await behind.query<{ name: string }>(
      `DELETE FROM _prisma_migrations
       WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations)
       RETURNING migration_name AS name`,
    );
    last = gone?.name ?? '';
  });
  afterAll(() => behind.close());

  test('is migrated by nobody who was not told to, and doctor exits with 1', async () => {
    const env = { DATABASE_URL: behind.url, MIGRATE: 'off', PORT: '0' };
    const refused = {
      code: 1,
      out: '',
      err: `The database must be migrated first (${last}): run crm migrate\n`,
    };
    const behindProxy = { ...env, WORKERS: '1', TLS: 'proxy', TRUSTED_PROXIES: '::1' };
    expect(await crmProcess(['serve'], behindProxy)).toEqual({
      ...refused,
      out: 'Connecting to PostgreSQL …\n',
    });
    for (const args of [
      ['seed'],
      ['account', 'create', '--name', 'Acme'],
      ['token', 'list', '--email', 'a'],
    ]) {
      expect(await crm(args, behindProxy)).toEqual(refused);
    }
    const doctor = await crm(['doctor'], behindProxy);
    expect({ ...doctor, out: JSON.parse(doctor.out) }).toMatchObject({
      code: 1,
      out: { healthy: false, database: { migrations: { current: false, pending: [last] } } },
    });
  });
});

test('doctor exits with 1 where PostgreSQL is out of reach or allows fewer connections than there may be', async () => {
  const many = { WORKERS: '256', DATABASE_POOL: '1000' };
  const pooler = { DATABASE_URL: `${file.url}?application_name=x`, DIRECT_DATABASE_URL: file.url };
  const far = await crm(['doctor'], {
    DATABASE_URL: 'postgresql://crm:hunter2@127.0.0.1:1/crm',
  });
  const few = await crm(['doctor'], many);
  const pooled = await crm(['doctor'], { ...many, ...pooler });
  expect(far.code).toBe(1);
  expect(JSON.parse(far.out)).toMatchObject({
    healthy: false,
    database: {
      reachable: false,
      error: 'The database is not available: connect ECONNREFUSED 127.0.0.1:1',
    },
  });
  expect(few.code).toBe(1);
  expect(JSON.parse(few.out)).toMatchObject({
    healthy: false,
    database: { reachable: true, connections: { wanted: 257_281, allowed: expect.any(Number) } },
  });
  // Behind a pooler it is the pooler that says how many there are.
  expect(JSON.parse(pooled.out)).toMatchObject({
    healthy: true,
    database: { connections: { wanted: 1 } },
  });
});

test('distribute says so where there is no Citus', async () => {
  expect(await crm(['distribute'])).toMatchObject({
    code: 1,
    err: 'There is no Citus in this database: CREATE EXTENSION citus, here and on the other servers\n',
  });
});

test('seed fills a database without accounts, and no other', async () => {
  const empty = await createDatabase();
  const env = { DATABASE_URL: empty.url };
  expect(parsed(await crm(['seed'], env))).toMatchObject({
    admin: 'admin@example.com',
    token: expect.any(String),
  });
  const refused = {
    code: 1,
    out: '',
    err: 'The database has accounts: the demo account is for an empty one\n',
  };
  expect(await crm(['seed'], env)).toEqual(refused);
  expect(await empty.query('SELECT FROM accounts')).toHaveLength(1);
  await empty.close();
});

test('no command but migrate makes an embedded database, and each says where there is none', async () => {
  const dataDir = join(tmpdir(), 'crm that nobody started');
  const env = { DATABASE_URL: '', DATA_DIR: dataDir };
  for (const args of [
    ['account', 'create', '--name', 'Acme'],
    ['token', 'list', '--email', 'a'],
    ['seed'],
  ]) {
    expect(await runHere(args, env)).toEqual({
      code: 1,
      out: '',
      err: `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL as the server has it, or make one with crm migrate\n`,
    });
  }
  const { code, out } = await runHere(['doctor'], env);
  expect({ code, said: JSON.parse(out) }).toMatchObject({
    code: 1,
    said: { healthy: false, database: { exists: false } },
  });
  expect(existsSync(dataDir)).toBe(false);
});

test('whoever reads only the beginning of what is printed hears no complaint', async () => {
  const script = '{ "$0" "$1" openapi; echo $? >&2; } | head -c 1';
  const child = spawn('sh', ['-c', script, process.execPath, main]);
  expect(await Promise.all([text(child.stdout), text(child.stderr)])).toEqual(['{', '0\n']);
});

test('there is no demo account in production', async () => {
  const config = readConfig({ NODE_ENV: 'production', TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k' });
  const empty = await createDatabase();
  const database = await openDatabase({ url: empty.url });
  expect(await demoOnFirstStart(config, database, keysOf([secret]))).toBeUndefined();
  await database.close();
  const files = { TLS_CERT_FILE: 'c', TLS_KEY_FILE: 'k', DATABASE_URL: empty.url };
  expect(await crm(['seed'], { NODE_ENV: 'production', ...files })).toEqual({
    code: 1,
    out: '',
    err: 'The demo account is not for production\n',
  });
  expect(await empty.query('SELECT FROM accounts')).toEqual([]);
  await empty.close();
});

describe('a fault is one line on standard error and exit code 1', () => {
  test.each([
    [['account', 'create', '--name', ' '], "Name can't be blank"],
    [['account', 'create'], "required option '--name <name>' not specified"],
    [['account', 'create', '--name', 'x', '--colour', 'red'], "unknown option '--colour'"],
    [['account', 'destroy'], "unknown command 'destroy'"],
    [['fly'], "unknown command 'fly'"],
    [['pipeline', 'create', '--account', '1x', '--name', 'a', '--stages', 'b'], 'positive integer'],
    [['pipeline', 'create', '--account', '1', '--name', 'a', '--stages', 'b'], 'no account 1'],
    [
      ['user', 'create', '--account', '1', '--email', 'a', '--password-stdin', '--role', 'c'],
      'admin, member',
    ],
    [['user', 'create', '--account', '1', '--email', 'a'], 'add --password-stdin'],
    [['token', 'create', '--email', 'nobody@acme.test'], 'no user nobody@acme.test'],
    [['token', 'create', '--email', 'a', '--expires-in', '1 year'], 'a length of time'],
    [['token', 'create', '--email', 'a', '--scopes', 'deals'], 'names out of *, read'],
    [['token', 'list', '--email', 'nobody@acme.test'], 'no user nobody@acme.test'],
    [['token', 'revoke', '--id', '999999'], 'no token 999999'],
    [['account', 'create', 'Acme', '--name', 'Acme'], 'too many arguments'],
  ])('%j', async (args, words) => {
    const { code, out, err } = await crm(args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(words);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  test('of a process, too, whoever finds it', async () => {
    const [usage, fault] = await Promise.all([
      crmProcess(['fly']),
      crmProcess(['token', 'revoke', '--id', '999999']),
    ]);
    expect(usage).toEqual({ code: 1, out: '', err: "error: unknown command 'fly'\n" });
    expect(fault).toEqual({ code: 1, out: '', err: 'There is no token 999999\n' });
  });

  test('a configuration that cannot be used names every variable', async () => {
    const { code, err } = await crm(['migrate'], { PORT: 'x', JWT_SECRET: 'short' });
    expect(code).toBe(1);
    expect(err).toContain('PORT must be');
    expect(err).toContain('JWT_SECRET must be');
  });

  test('a database that is not there is said to be so', async () => {
    const { code, err } = await crm(['token', 'list', '--email', 'a'], {
      DATABASE_URL: 'postgresql://crm:hunter2@127.0.0.1:1/crm',
    });
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The database is not available: connect ECONNREFUSED 127.0.0.1:1\n',
    });
  });
});
