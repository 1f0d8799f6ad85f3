import { describe, expect, test } from '@jest/globals';
import { answerToBytes } from '../kit/bytes.ts';
import { forbidden, notFound, unauthorized } from '../kit/refusals.ts';
import { Rest } from '../kit/rest.ts';
import { sharedService, startService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { until } from '../kit/wait.ts';
import { world } from '../kit/world.ts';

const refused = ({ status }: { status: number }) => status === 401;

const service = await sharedService();
const w = await world(service);
const path = `/api/v1/accounts/${w.accountId}/contacts/search`;

const ask = (authorization: string | string[] | undefined) =>
  service.client.send({
    method: 'GET',
    path,
    headers: authorization === undefined ? {} : { authorization },
  });

const askWith = (token: string) => ask(`Bearer ${token}`);

describe('the Authorization header', () => {
  test('Bearer, one space, token', async () => {
    expect(await ask(`Bearer ${w.admin.token}`)).toAnswer(200);
  });

  test.each([
    ['none', () => undefined],
    ['an empty one', () => ''],
    ['the token alone', (token: string) => token],
    ['Bearer alone', () => 'Bearer'],
    ['Bearer and a space alone', () => 'Bearer '],
    ['two spaces', (token: string) => `Bearer  ${token}`],
    ['a tab', (token: string) => `Bearer\t${token}`],
    ['bearer in lower case', (token: string) => `bearer ${token}`],
    ['BEARER in upper case', (token: string) => `BEARER ${token}`],
    ['another scheme', (token: string) => `Token ${token}`],
    ['Basic', (token: string) => `Basic ${Buffer.from(`${token}:`).toString('base64')}`],
    ['double quotes', (token: string) => `Bearer "${token}"`],
    ['single quotes', (token: string) => `Bearer '${token}'`],
    ['more after the token', (token: string) => `Bearer ${token} x`],
    ['a comma and another', (token: string) => `Bearer ${token}, Bearer ${token}`],
    ['a colon', (token: string) => `Bearer: ${token}`],
    ['the token in upper case', (token: string) => `Bearer ${token.toUpperCase()}`],
    ['a token cut short', (token: string) => `Bearer ${token.slice(0, -1)}`],
    ['a token with more at its end', (token: string) => `Bearer ${token}A`],
    [
      'a changed payload',
      (token: string) => `Bearer ${token.replace(/\.(.)/, (_, c) => `.${c === 'e' ? 'f' : 'e'}`)}`,
    ],
    ['no signature', (token: string) => `Bearer ${token.split('.').slice(0, 2).join('.')}.`],
    ['two parts', (token: string) => `Bearer ${token.split('.').slice(0, 2).join('.')}`],
    ['not a token', () => 'Bearer abc'],
    ['a very long one', () => `Bearer ${'a'.repeat(4000)}.${'b'.repeat(4000)}.${'c'.repeat(400)}`],
  ])('%s is a 401', async (_, header) => {
    const answer = await ask(header(w.admin.token));
    expect(answer).toAnswer(401, unauthorized);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  test('blanks at its end are HTTP’s own', async () => {
    const { accountId, admin } = w;
    const said = await answerToBytes(
      service.url,
      `GET /api/v1/accounts/${accountId}/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${admin.token} \t \r\n\r\n`,
    );
    expect(said).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('two headers are a 401', async () => {
    const answer = await ask([`Bearer ${w.admin.token}`, `Bearer ${w.admin.token}`]);
    expect(answer).toAnswer(401, unauthorized);
  });

  test('a token in the address is a 401', async () => {
    for (const name of ['token', 'access_token', 'Authorization', 'auth']) {
      const answer = await service.client.send({
        method: 'GET',
        path: `${path}?${name}=${w.admin.token}`,
      });
      expect(answer).toAnswer(401, unauthorized);
    }
  });

  test('a token in a cookie is a 401', async () => {
    const headers = { cookie: `Authorization=Bearer ${w.admin.token}; token=${w.admin.token}` };
    expect(await service.client.send({ method: 'GET', path, headers })).toAnswer(401, unauthorized);
  });
});

describe('the token', () => {
  test.each([
    ['expired', { expiresIn: -1 }],
    ['expired long ago', { expiresIn: -86_400 }],
    ['signed with another secret', { key: 'another secret, which is long enough as well' }],
    ['signed by another algorithm', { algorithm: 'HS384' }],
    ['signed by HS512', { algorithm: 'HS512' }],
    ['not signed', { algorithm: 'none' }],
    ['of no record', { recorded: false }],
    ['of another record', { claims: { jti: '00000000-0000-4000-8000-000000000000' } }],
    ['without jti', { claims: { jti: undefined } }],
    ['with a jti that is no id', { claims: { jti: 'x' } }],
    ['with a jti that is SQL', { claims: { jti: "' OR 1=1 --" } }],
    ['without sub', { claims: { sub: undefined } }],
    ['with a sub that is no id', { claims: { sub: 'admin' } }],
    ['of a user that is not there', { claims: { sub: '999999' } }],
    ['of another user than its record', { claims: { sub: 'member' } }],
    ['of a sub beyond an id', { claims: { sub: '99999999999999999999' } }],
    ['not valid yet', { claims: { nbf: 4_000_000_000 } }],
    ['with an exp that is no number', { claims: { exp: 'never' } }],
  ] as const)('%s is a 401', async (_, options) => {
    const claims = 'claims' in options ? options.claims : {};
    const mine =
      'sub' in claims && claims.sub === 'member' ? { claims: { sub: String(w.member.id) } } : {};
    const token = await issue(service.database, w.admin, { ...options, ...mine });
    expect(await askWith(token)).toAnswer(401, unauthorized);
  });

  test('one without an end is valid', async () => {
    expect(await askWith(await issue(service.database, w.admin, { expiresIn: null }))).toAnswer(
      200,
    );
  });

  test('one whose record has expired is a 401, whatever it says itself', async () => {
    const token = await issue(service.database, w.admin, { expiresIn: null });
    await service.database.query(
      "UPDATE api_tokens SET expires_at = now() - interval '1 second' WHERE id = (SELECT max(id) FROM api_tokens)",
    );
    expect(await askWith(token)).toAnswer(401, unauthorized);
  });

  test('one that expires while it is in use is refused from then on', async () => {
    let token = '';
    // On a busy machine one may expire before it is used at all.
    const used = await until(
      async () => {
        token = await issue(service.database, w.admin, { expiresIn: 2 });
        return askWith(token);
      },
      ({ status }) => status === 200,
      10_000,
    );
    expect(used).toAnswer(200);
    const answer = await until(() => askWith(token), refused, 4000);
    expect(answer).toAnswer(401, unauthorized);
  });

  test('one that is revoked, and of a user whose role changes or who is deleted, is refused within 5 seconds on every process', async () => {
    const second = await startService({ database: service.database });
    try {
      const user = await w.user({ role: 'admin' });
      const ofUser = await issue(service.database, { id: user.id, account_id: w.accountId });
      const here = w.restAs(ofUser);
      const there = new Rest(second.client, w.accountId, ofUser);
      const rename = (rest: Rest) => rest.put('', { name: 'Renamed' });
      expect(await rename(here)).toAnswer(200);
      expect(await rename(there)).toAnswer(200);
      const demoted = await w.user({ role: 'admin' });
      const ofDemoted = await issue(service.database, { id: demoted.id, account_id: w.accountId });
      const demotedThere = new Rest(second.client, w.accountId, ofDemoted);
      expect(await rename(demotedThere)).toAnswer(200);
      const revoked = await issue(service.database, w.admin);
      const askSecond = () => new Rest(second.client, w.accountId, revoked).get('/me');
      expect(await askWith(revoked)).toAnswer(200);
      expect(await askSecond()).toAnswer(200);

      const since = Date.now();
      await service.database.query(
        'UPDATE api_tokens SET revoked_at = now() WHERE id = (SELECT max(id) FROM api_tokens)',
      );
      // What this process does itself it knows at once.
      expect(await w.rest.put(`/users/${user.id}`, { role: 'member' })).toAnswer(200);
      expect(await rename(here)).toAnswer(403, forbidden);
      expect(await w.rest.delete(`/users/${user.id}`)).toAnswer(204);
      expect(await rename(here)).toAnswer(401, unauthorized);
      expect(await w.rest.put(`/users/${demoted.id}`, { role: 'member' })).toAnswer(200);
      const answers = await Promise.all([
        until(() => askWith(revoked), refused, 6000),
        until(askSecond, refused, 6000),
        until(() => rename(there), refused, 6000),
      ]);
      const demotion = await until(
        () => rename(demotedThere),
        ({ status }) => status === 403,
        6000,
      );
      expect(demotion).toAnswer(403, forbidden);
      expect(Date.now() - since).toBeLessThan(5000);
      for (const answer of answers) expect(answer).toAnswer(401, unauthorized);
    } finally {
      await second.close();
    }
  }, 15_000);

  test('revoking one leaves the others of the user', async () => {
    const token = await issue(service.database, w.admin);
    await service.database.query(
      'UPDATE api_tokens SET revoked_at = now() WHERE id = (SELECT max(id) FROM api_tokens)',
    );
    expect(await askWith(token)).toAnswer(401, unauthorized);
    expect(await askWith(w.admin.token)).toAnswer(200);
  });

  test('its use is noted', async () => {
    const token = await issue(service.database, w.member);
    await askWith(token);
    const ask = () =>
      service.database.query<{ last_used_at: Date | null }>(
        'SELECT last_used_at FROM api_tokens ORDER BY id DESC LIMIT 1',
      );
    const [row] = await until(ask, ([found]) => found?.last_used_at !== null, 5000);
    expect(Math.abs(Date.now() - (row?.last_used_at?.getTime() ?? 0))).toBeLessThan(60_000);
  });
});

test('the body of a 401 and of a 404 of an account tells nothing apart', async () => {
  const other = await world(service);
  const headers = { authorization: `Bearer ${w.admin.token}`, 'x-request-id': 'same' };
  const absent = await service.client.send({
    method: 'POST',
    path: '/api/v1/accounts/999999999/contacts',
    headers,
  });
  const foreign = await service.client.send({
    method: 'POST',
    path: `/api/v1/accounts/${other.accountId}/contacts`,
    headers,
  });
  expect(foreign).toAnswer(404, notFound);
  expect(foreign.text).toBe(absent.text);
});
