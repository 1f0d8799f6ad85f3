import { createHmac, randomUUID } from 'node:crypto';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  jest,
  test,
} from '@jest/globals';
import jwt from 'jsonwebtoken';
import { keysOf } from '../../src/auth/keys.ts';
import { everything } from '../../src/auth/scopes.ts';
import {
  issueToken,
  listTokens,
  readToken,
  revokeToken,
  signToken,
} from '../../src/auth/tokens.ts';
import { Verifier } from '../../src/auth/verifier.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';

const secret = 'a secret of thirty-two bytes, at least';
const keys = keysOf([secret]);
const now = () => Math.floor(Date.now() / 1000);

let file: TestDatabase;
let database: Database;
let accountId: number;
let userId: number;
let verifier: Verifier;
const said: string[] = [];

beforeAll(async () => {
  file = await createDatabase();
  database = await openDatabase({ url: file.url, onStatement: (text) => said.push(text) });
  const [account] = await file.query<{ id: number }>(
    `INSERT INTO accounts (name, default_country) VALUES ('Acme', 'BR') RETURNING id`,
  );
  accountId = Number(account?.id);
  const [user] = await file.query<{ id: number }>(
    `INSERT INTO users (account_id, email, role) VALUES ($1, 'ana@acme.test', 'admin') RETURNING id`,
    [accountId],
  );
  userId = Number(user?.id);
});

beforeEach(() => {
  verifier = new Verifier(database, keys);
  said.length = 0;
});

// What it noted it writes half a second later, and so amid another test.
afterEach(() => verifier.close());

afterAll(async () => {
  await database.close();
  await file.close();
});

const issue = async (ttl: number | null = 3600) => {
  const now = new Date();
  const scopes = ['*'] as const;
  const issued = await issueToken(database, {
    accountId,
    userId,
    name: 'test',
    scopes,
    ttl,
    keys,
    now,
  });
  return issued.token;
};
const unauthenticated = {
  code: 'UNAUTHENTICATED',
  messages: ['A valid token is needed, sent as Authorization: Bearer <token>'],
};

describe('a token that was issued', () => {
  test('tells its user, account and role', async () => {
    expect(await verifier.verify(`Bearer ${await issue()}`)).toEqual({
      accountId,
      userId,
      tokenId: expect.any(Number),
      sessionId: null,
      role: 'admin',
      scopes: everything,
      defaultCountry: 'BR',
    });
  });

  test('says sub, jti, iat and exp, and no exp when it lives for ever', async () => {
    const claims = jwt.verify(await issue(60), secret);
    expect(claims).toEqual({
      sub: String(userId),
      jti: expect.stringMatching(/^[\da-f-]{36}$/),
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    expect(jwt.verify(await issue(null), secret)).not.toHaveProperty('exp');
  });

  test('is asked about once, whoever asks at the same time or soon after', async () => {
    const header = `Bearer ${await issue()}`;
    said.length = 0;
    await Promise.all([1, 2, 3].map(() => verifier.verify(header)));
    await verifier.verify(header);
    expect(said).toHaveLength(1);
  });

  test('is asked about anew once its user or account is forgotten, even while that is being asked', async () => {
    const header = `Bearer ${await issue()}`;
    said.length = 0;
    const asking = verifier.verify(header);
    verifier.forget(accountId, userId);
    await asking;
    await verifier.verify(header);
    expect(said).toHaveLength(2);
    verifier.forget(accountId, userId + 1);
    verifier.forget(accountId + 1);
    await verifier.verify(header);
    expect(said).toHaveLength(2);
    verifier.forget(accountId, userId);
    await verifier.verify(header);
    verifier.forget(accountId);
    await verifier.verify(header);
    expect(said).toHaveLength(4);
  });

  test('is known without waiting once that was answered, until its user or account is forgotten', async () => {
    const header = `Bearer ${await issue()}`;
    expect(verifier.known(header)).toBeUndefined();
    const asking = verifier.verify(header);
    expect(verifier.known(header)).toBeUndefined();
    const viewer = await asking;
    expect(verifier.known(header)).toBe(viewer);
    verifier.forget(accountId, userId + 1);
    expect(verifier.known(header)).toBe(viewer);
    verifier.forget(accountId, userId);
    expect(verifier.known(header)).toBeUndefined();
  });

  test('has its use noted at most once a minute', async () => {
    const header = `Bearer ${await issue()}`;
    const lastUse = async () => (await listTokens(database, 'ana@acme.test'))?.at(-1)?.last_used_at;
    expect(await lastUse()).toBeNull();
    const other = new Verifier(database, keys);
    await Promise.all([verifier.verify(header), other.verify(header)]);
    await verifier.close();
    const first = await lastUse();
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await other.close();
    expect(await lastUse()).toBe(first);
    said.length = 0;
    const third = new Verifier(database, keys);
    await third.verify(header);
    await third.close();
    expect(said).toHaveLength(1);
  });

  test('writes nothing when it is looked up, and its use with that of others', async () => {
    const headers = [`Bearer ${await issue()}`, `Bearer ${await issue()}`];
    said.length = 0;
    await Promise.all(headers.map((header) => verifier.verify(header)));
    expect(said.filter((text) => !text.startsWith('SELECT'))).toEqual([]);
    said.length = 0;
    await verifier.close();
    expect(said).toHaveLength(1);
    const used = (await listTokens(database, 'ana@acme.test'))?.slice(-2);
    expect(used?.map(({ last_used_at }) => last_used_at)).not.toContain(null);
  });

  test('is refused once it is revoked, and stays revoked since the first time', async () => {
    const token = await issue();
    const tokenId = Number((await verifier.verify(`Bearer ${token}`)).tokenId);
    const revoked = await revokeToken(
      database,
      accountId,
      tokenId,
      new Date('2026-01-01T00:00:00Z'),
    );
    expect(revoked?.revoked_at).toBe('2026-01-01T00:00:00.000Z');
    expect((await revokeToken(database, accountId, tokenId, new Date()))?.revoked_at).toBe(
      revoked?.revoked_at,
    );
    const other = new Verifier(database, keys);
    await expect(other.verify(`Bearer ${token}`)).rejects.toMatchObject(unauthenticated);
  });

  test('is refused from the second that it expires, although it was believed before', async () => {
    const token = await issue(2);
    const end = 1000 * Number(readToken(token, keys).exp);
    await verifier.verify(`Bearer ${token}`);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(end - 1);
    try {
      const viewer = await verifier.verify(`Bearer ${token}`);
      expect(verifier.known(`Bearer ${token}`)).toBe(viewer);
      clock.mockReturnValue(end);
      expect(verifier.known(`Bearer ${token}`)).toBeUndefined();
      await expect(verifier.verify(`Bearer ${token}`)).rejects.toMatchObject(unauthenticated);
    } finally {
      clock.mockRestore();
    }
  });

  test('is refused when the database knows an earlier end than the token', async () => {
    const header = `Bearer ${await issue()}`;
    await file.query(
      `UPDATE api_tokens SET expires_at = now() WHERE id = (SELECT max(id) FROM api_tokens)`,
    );
    await expect(verifier.verify(header)).rejects.toMatchObject(unauthenticated);
  });
});

describe('the header', () => {
  test.each([
    ['nothing', () => ''],
    ['another letter case', (token: string) => `bearer ${token}`],
    ['another scheme', (token: string) => `Basic ${token}`],
    ['no scheme', (token: string) => token],
    ['two spaces', (token: string) => `Bearer  ${token}`],
    ['a tab', (token: string) => `Bearer\t${token}`],
    ['a blank before', (token: string) => ` Bearer ${token}`],
    ['a blank after', (token: string) => `Bearer ${token} `],
    ['a line end after', (token: string) => `Bearer ${token}\n`],
    ['quotes', (token: string) => `Bearer "${token}"`],
    ['two tokens', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['no token', () => 'Bearer '],
  ])('with %s is refused without a look at the database', async (_, header) => {
    const token = await issue();
    said.length = 0;
    await expect(verifier.verify(header(token))).rejects.toMatchObject(unauthenticated);
    expect(said).toEqual([]);
  });
});

/** A token with a right signature; of two claims of a name the last counts. */
function signed(claim: string): string {
  const sound = `"sub":"1","jti":"${randomUUID()}","iat":1,"exp":99999999999`;
  const [head, body] = ['{"alg":"HS256","typ":"JWT"}', `{${sound},${claim}}`].map((text) =>
    Buffer.from(text).toString('base64url'),
  );
  const signature = createHmac('sha256', secret).update(`${head}.${body}`).digest('base64url');
  return `${head}.${body}.${signature}`;
}

test('a token that is signed by hand is read like one of ours', () => {
  expect(readToken(signed('"exp":99999999999'), keys)).toEqual({
    sub: '1',
    jti: expect.any(String),
    iat: 1,
    exp: 99_999_999_999,
  });
});

describe('a token that was not issued', () => {
  const sub = '1';
  const claims = () => ({ sub, jti: randomUUID(), iat: now() });
  const others = keysOf(['another secret of thirty-two bytes']);

  test.each([
    ['signed with another secret', () => signToken(claims(), others)],
    ['not signed at all', () => jwt.sign(claims(), null, { algorithm: 'none' })],
    ['signed with another algorithm', () => jwt.sign(claims(), secret, { algorithm: 'HS512' })],
    ['expired', () => signToken({ ...claims(), exp: now() - 1 }, keys)],
    ['without jti', () => jwt.sign({ sub, iat: now() }, secret)],
    ['with a jti of another form', () => jwt.sign({ ...claims(), jti: 'x' }, secret)],
    ['without sub', () => jwt.sign({ jti: randomUUID() }, secret)],
    ['with a sub that is no id', () => jwt.sign({ ...claims(), sub: '1 OR 1=1' }, secret)],
    ['with a text for claims', () => jwt.sign('claims', secret)],
    ['with a number for sub', () => signed('"sub":1')],
    ['with a list for sub', () => signed('"sub":["1"]')],
    ['with a sub beyond any id', () => signed('"sub":"9007199254740992"')],
    ['with a list for jti', () => signed(`"jti":["${randomUUID()}"]`)],
    ['with an iat that is no time', () => signed('"iat":1e400')],
    ['with an iat between two seconds', () => signed('"iat":1.5')],
    ['with a text for iat', () => signed('"iat":"1"')],
    ['without iat', () => signed('"iat":null')],
    ['that would never end', () => signed('"exp":1e400')],
    ['that ends between two seconds', () => signed('"exp":99999999999.5')],
    ['with a text for exp', () => signed('"exp":"99999999999"')],
    ['with nothing for exp', () => signed('"exp":null')],
  ])('%s is refused without a look at the database', async (_, token) => {
    await expect(verifier.verify(`Bearer ${token()}`)).rejects.toMatchObject(unauthenticated);
    expect(said).toEqual([]);
  });

  test('signed well but unknown is refused', async () => {
    const token = signToken({ ...claims(), sub: String(userId) }, keys);
    await expect(verifier.verify(`Bearer ${token}`)).rejects.toMatchObject(unauthenticated);
  });

  test('that names another user than its record is refused', async () => {
    const read = jwt.decode(await issue(), { json: true });
    const token = signToken({ sub: String(userId + 1), jti: String(read?.jti), iat: now() }, keys);
    await expect(verifier.verify(`Bearer ${token}`)).rejects.toMatchObject(unauthenticated);
  });
});

test('a database that is down makes it UNAVAILABLE, and is asked again the next time', async () => {
  const header = `Bearer ${await issue()}`;
  let down = true;
  const flaky = new Verifier(
    {
      query: (statement, options) => (down ? nowhere : database).query(statement, options),
    },
    keys,
  );
  const nowhere = await openDatabase({ url: 'postgresql://crm@127.0.0.1:1/crm' });
  await expect(flaky.verify(header)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  down = false;
  expect(await flaky.verify(header)).toMatchObject({ userId });
  await nowhere.close();
});

test('a secret of less than 32 bytes is refused', () => {
  expect(() => keysOf(['x'.repeat(31)])).toThrow('JWT_SECRET must have at least 32 bytes');
});

test('there are no tokens of a user who is not there, nor one to revoke', async () => {
  expect(await listTokens(database, 'nobody@acme.test')).toBeUndefined();
  expect(await revokeToken(database, accountId, 999_999, new Date())).toBeUndefined();
});
