/** A database and its processes agree on the secrets that sign tokens, also while these change. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { fingerprintOf, type Keys, keysOf } from '../../src/auth/keys.ts';
import { activate, adopt, announce, listSecrets, retire } from '../../src/auth/rotation.ts';
import { agreeOn, differenceOf, knownSecrets } from '../../src/auth/signing_secrets.ts';
import { issueToken, readToken, signToken } from '../../src/auth/tokens.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { until } from '../kit/wait.ts';

const secretOf = (letter: string) => letter.repeat(40);
const [a, b, c] = [secretOf('a'), secretOf('b'), secretOf('c')];
const [kidA, kidB, kidC] = [fingerprintOf(a), fingerprintOf(b), fingerprintOf(c)];

let file: TestDatabase;
let database: Database;
beforeEach(async () => {
  file = await createDatabase();
  database = await openDatabase({ url: file.url });
});
afterEach(async () => {
  await database.close();
  await file.close();
});

const agree = (...secrets: string[]) => agreeOn(database, keysOf(secrets));
const states = async () =>
  Object.fromEntries(
    (await knownSecrets(database)).map(({ fingerprint, state }) => [fingerprint, state]),
  );

describe('a process and its database', () => {
  test('that knows no secret gets to know the first one’s', async () => {
    expect(differenceOf([], keysOf([a]))).toBeUndefined();
    expect([...(await agree(a, b)).keys()]).toEqual([kidA, kidB]);
    expect(await states()).toEqual({ [kidA]: 'current', [kidB]: 'previous' });
  });

  test('agree again, and nothing is written', async () => {
    await agree(a);
    const before = await file.query('SELECT *, xmin FROM signing_secrets');
    await agree(a);
    expect(await file.query('SELECT *, xmin FROM signing_secrets')).toEqual(before);
  });

  test('of two that start at once with different secrets one is refused', async () => {
    const other = await openDatabase({ url: file.url });
    const outcomes = await Promise.allSettled([agree(a), agreeOn(other, keysOf([b]))]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(Object.values(await states())).toEqual(['current']);
    await other.close();
  });

  test('do not agree on a foreign secret, as which one it may be given', async () => {
    await agree(a);
    const foreign = (variable: string, kid: string) =>
      `${variable} is not a secret of this database: its fingerprint is ${kid}, and tokens are signed with ${kidA}. To change the secret see crm secret --help`;
    await expect(agree(b)).rejects.toThrow(foreign('JWT_SECRET', kidB));
    await expect(agree(b, a)).rejects.toThrow(foreign('JWT_SECRET', kidB));
    await expect(agree(a, b)).rejects.toThrow(foreign('JWT_SECRET_PREVIOUS', kidB));
    expect(await states()).toEqual({ [kidA]: 'current' });
  });

  test('no fingerprint tells anything of its secret', async () => {
    await agree(a);
    const [row] = await file.query<{ row: string }>(
      'SELECT signing_secrets::text AS row FROM signing_secrets',
    );
    expect(row?.row).toContain(kidA);
    expect(row?.row).not.toContain('aaaa');
    expect(kidA).toMatch(/^[\w-]{16}$/);
  });
});

describe('a change of the secret', () => {
  test('goes from announced to current, and what was before is verified until it is retired', async () => {
    await agree(a);
    await announce(database, kidB);
    expect(await states()).toEqual({ [kidA]: 'current', [kidB]: 'next' });
    await agree(a);
    await agree(b, a);
    await expect(agree(b)).rejects.toThrow(`Tokens are signed with the secret ${kidA}, which is`);
    await activate(database, keysOf([b, a]));
    expect(await states()).toEqual({ [kidA]: 'previous', [kidB]: 'current' });
    await expect(agree(a)).rejects.toThrow(`Tokens are signed with the secret ${kidB}, which is`);
    await retire(database, kidA, false);
    expect(await states()).toEqual({ [kidA]: 'retired', [kidB]: 'current' });
    // It may still be configured, and means nothing.
    expect([...(await agree(b, a)).keys()]).toEqual([kidB]);
  });

  test('has its steps in order, one change at a time', async () => {
    await agree(a);
    await expect(activate(database, keysOf([a]))).rejects.toThrow('No secret is announced');
    await announce(database, kidB);
    await expect(announce(database, kidC)).rejects.toThrow(`${kidB} is announced already`);
    await expect(activate(database, keysOf([a]))).rejects.toThrow('give it to every process first');
    await expect(retire(database, kidA, true)).rejects.toThrow(`${kidA} signs tokens`);
    await expect(retire(database, kidC, true)).rejects.toThrow(`There is no secret ${kidC}`);
    await retire(database, kidB, false);
    expect(await states()).toEqual({ [kidA]: 'current', [kidB]: 'retired' });
  });

  test('announces nothing when the secret cannot be kept', async () => {
    await agree(a);
    const full = () => Promise.reject(new Error('the disk is full'));
    await expect(announce(database, kidB, full)).rejects.toThrow('the disk is full');
    expect(await states()).toEqual({ [kidA]: 'current' });
  });

  test('can be forced where the secret is lost', async () => {
    await agree(a);
    await announce(database, kidB);
    await adopt(database, keysOf([c]));
    expect(await states()).toEqual({ [kidA]: 'retired', [kidB]: 'retired', [kidC]: 'current' });
    await agree(c);
  });
});

describe('tokens', () => {
  let accountId: number;
  let userId: number;
  beforeEach(async () => {
    const [row] = await file.query<{ account_id: number; id: number }>(
      `WITH account AS (INSERT INTO accounts (name) VALUES ('Acme') RETURNING id)
       INSERT INTO users (account_id, email) SELECT id, 'ana@acme.test' FROM account RETURNING id, account_id`,
    );
    [accountId, userId] = [row?.account_id ?? 0, row?.id ?? 0];
  });

  const issue = async (keys: Keys, ttl: number | null = null) => {
    const scopes = ['*'] as const;
    const of = { accountId, userId, name: 'test', scopes, ttl, keys, now: new Date() };
    return (await issueToken(database, of)).token;
  };
  const kidOf = (token: string) => jwt.decode(token, { complete: true })?.header.kid;
  const counts = async () =>
    Object.fromEntries(
      (await listSecrets(database)).map(({ fingerprint, tokens }) => [fingerprint, tokens]),
    );

  test('say which secret signed them: the one that the database says, whichever comes first here', async () => {
    await agree(a);
    await announce(database, kidB);
    const both = keysOf([b, a]);
    expect(kidOf(await issue(both))).toBe(kidA);
    await activate(database, both);
    expect(kidOf(await issue(keysOf([a, b])))).toBe(kidB);
  });

  test('are not issued without that secret', async () => {
    await agree(a);
    await expect(issue(keysOf([b]))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      messages: [expect.stringContaining(kidA)],
    });
  });

  test('are counted by their secret while they are in force, and keep it from being retired', async () => {
    await file.query(
      `INSERT INTO api_tokens (account_id, user_id, jti) VALUES ($1, $2, gen_random_uuid())`,
      [accountId, userId],
    );
    await agree(a);
    await issue(keysOf([a]), 3600);
    await file.query(
      `INSERT INTO api_tokens (account_id, user_id, jti, kid, expires_at, revoked_at) VALUES
         ($1, $2, gen_random_uuid(), $3, now() - interval '1 s', NULL),
         ($1, $2, gen_random_uuid(), $3, NULL, now())`,
      [accountId, userId, kidA],
    );
    await announce(database, kidB);
    await activate(database, keysOf([b, a]));
    await issue(keysOf([b, a]));
    expect(await counts()).toEqual({ [kidA]: 2, [kidB]: 1 });
    await expect(retire(database, kidA, false)).rejects.toThrow(
      `Tokens of the secret ${kidA} are in force (2)`,
    );
    await retire(database, kidA, true);
    expect(await states()).toMatchObject({ [kidA]: 'retired' });
  });

  test('are counted when their secret is retired, and not while that waits for another step', async () => {
    await agree(a);
    await announce(database, kidB);
    await activate(database, keysOf([b, a]));
    const letGo = await file.hold('LOCK TABLE signing_secrets IN SHARE ROW EXCLUSIVE MODE');
    const retiring = retire(database, kidA, false).catch(String);
    const waits = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'signing_secrets'::regclass`;
    const waiting = await until(
      () => file.query(waits),
      ({ length }) => length > 0,
      5000,
    );
    expect(waiting).toHaveLength(1);
    await file.query(
      `INSERT INTO api_tokens (account_id, user_id, jti, kid) VALUES ($1, $2, gen_random_uuid(), $3)`,
      [accountId, userId, kidA],
    );
    await letGo();
    expect(await retiring).toContain(`Tokens of the secret ${kidA} are in force (1)`);
  });

  test('are read with the secret that they name, and those that name none with any', () => {
    const keys = keysOf([b, a]);
    const said = { sub: '1', jti: '01234567-89ab-cdef-0123-456789abcdef', iat: 1 };
    expect(readToken(signToken(said, keysOf([a])), keys)).toEqual(said);
    expect(readToken(jwt.sign(said, a), keys)).toEqual(said);
    expect(readToken(jwt.sign(said, b), keys)).toEqual(said);
    for (const [secret, keyid] of [
      [a, kidB],
      [a, kidC],
      [c, kidA],
    ] as const) {
      expect(() => readToken(jwt.sign(said, secret, { keyid }), keys)).toThrow('A valid token');
    }
    expect(() => readToken(jwt.sign(said, c), keys)).toThrow('A valid token');
    for (const torn of ['', 'x.y.z', signToken(said, keys).replace(/\../, '.x')]) {
      expect(() => readToken(torn, keys)).toThrow('A valid token');
    }
  });
});
