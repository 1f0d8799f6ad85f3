/** Tokens over the API: who makes which, who sees and revokes them, and when they end. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { scopes } from '../../src/auth/scopes.ts';
import { Person } from '../kit/person.ts';
import { forbidden, invalid, lacking, notFound, unauthorized } from '../kit/refusals.ts';
import { Rest } from '../kit/rest.ts';
import { sharedService, startService } from '../kit/service.ts';
import { id, moment, onePage } from '../kit/shapes.ts';
import { issue } from '../kit/tokens.ts';
import { until } from '../kit/wait.ts';
import { type Input, world } from '../kit/world.ts';

const service = await sharedService();
/** Another process on the same database. */
const other = await startService({ database: service.database });
afterAll(() => other.close());
const w = await world(service);

interface Issued {
  readonly id: number;
  readonly access_token: string;
  readonly expires_at: string | null;
  readonly last_used_at?: string | null;
}

const days = (count: number) => count * 86_400_000;
const jwt = expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/);

const shown = (fields: Input = {}) => ({
  id,
  account_id: w.accountId,
  user_id: w.admin.id,
  name: 'CI',
  scopes: ['*'],
  created_at: moment,
  last_used_at: null,
  expires_at: moment,
  revoked_at: null,
  ...fields,
});

async function make(body: Input = {}, rest = w.rest): Promise<Issued> {
  const answer = await rest.post<Issued>('/tokens', { name: 'CI', ...body });
  expect(answer).toAnswer(201);
  return answer.body;
}

/** What the trail says of a token. */
const trail = (tokenId: number) =>
  service.database.query(
    `SELECT user_id, action, record_type, before, after FROM audit_entries
     WHERE account_id = $1 AND record_type = 'token' AND record_id = $2 ORDER BY id`,
    [w.accountId, tokenId],
  );

describe('POST /tokens', () => {
  test('201: a token that works, shown this once, for as long as is configured', async () => {
    const answer = await w.rest.post<Issued>('/tokens', { name: ' CI ' });
    expect(answer).toAnswer(201, { ...shown(), access_token: jwt });
    const { access_token, ...record } = answer.body;
    const left = Date.parse(String(record.expires_at)) - Date.now();
    // What makes it has less: an hour, as tests issue them.
    expect(left).toBeGreaterThan(days(1 / 24) - 60_000);
    expect(left).toBeLessThan(days(1 / 24));
    expect(await w.restAs(access_token).get('/me')).toAnswer(200);
    // Its use is noted a moment later.
    const again = await w.rest.get<Issued>(`/tokens/${record.id}`);
    expect({ ...again.body, last_used_at: null }).toEqual(record);
  });

  test('201: as long as asked, for ever too, with the scopes asked, each once', async () => {
    const lasting = w.restAs(await issue(service.database, w.admin, { expiresIn: null }));
    const asked = { expires_in: '30d', scopes: ['deals:write', 'read', 'read'] };
    const made = await make(asked, lasting);
    expect(made).toEqual({ ...shown({ scopes: ['deals:write', 'read'] }), access_token: jwt });
    const left = Date.parse(String(made.expires_at)) - Date.now();
    expect(Math.round(left / days(1))).toBe(30);
    expect((await make({ expires_in: 'never' }, lasting)).expires_at).toBeNull();
    const usual = await make({ expires_in: null, scopes: null, user_id: null }, lasting);
    expect(Math.round((Date.parse(String(usual.expires_at)) - Date.now()) / days(1))).toBe(365);
  });

  test('201: GraphQL makes the same', async () => {
    const form = `mutation ($input: TokenInput!) {
      create_token(account_id: ${w.accountId}, input: $input) {
        access_token token { id name scopes user { id } } } }`;
    const input = { name: 'CI', scopes: ['contacts:read'], user_id: w.member.id };
    const { create_token } = await w.graphql.data<{ create_token: Issued }>(form, { input });
    expect(create_token).toEqual({
      access_token: jwt,
      token: { id, name: 'CI', scopes: ['contacts:read'], user: { id: w.member.id } },
    });
    const rest = w.restAs(create_token.access_token);
    expect(await rest.get('/me')).toAnswer(200);
    expect(await rest.get('/deals/search')).toAnswer(403, lacking('deals:read'));
  });

  test('422 that names every field', async () => {
    const body = { expires_in: '5 years', scopes: ['deals'], user_id: 999_999_999 };
    expect(await w.rest.post('/tokens', body)).toAnswer(
      422,
      invalid({
        name: "can't be blank",
        expires_in: 'must be a length of time such as 90s, 15m, 12h or 30d, or never',
        scopes: `is not included in the list (${scopes.join(', ')})`,
        user_id: 'must exist',
      }),
    );
    for (const [wrong, message] of [
      ['read', 'must be a list of scopes'],
      [[], "can't be blank"],
    ]) {
      const answer = await w.rest.post('/tokens', { name: 'CI', scopes: wrong });
      expect(answer).toAnswer(422, invalid({ scopes: String(message) }));
    }
  });

  test('a member makes their own alone, an admin those of everybody', async () => {
    const member = w.restAs(w.member.token);
    expect(await make({}, member)).toMatchObject({ user_id: w.member.id });
    expect(await make({ user_id: w.member.id }, member)).toMatchObject({ user_id: w.member.id });
    const others = { name: 'CI', user_id: w.admin.id };
    expect(await member.post('/tokens', others)).toAnswer(403, forbidden);
    const nobodys = { name: 'CI', user_id: 999_999_999 };
    expect(await member.post('/tokens', nobodys)).toAnswer(403, forbidden);
    expect(await make({ user_id: w.member.id })).toMatchObject({ user_id: w.member.id });
    const stranger = await world(service);
    const answer = await w.rest.post('/tokens', { name: 'CI', user_id: stranger.member.id });
    expect(answer).toAnswer(422, invalid({ user_id: 'must exist' }));
  });

  test('none has a scope that the token which makes it lacks', async () => {
    const given = ['tokens:write', 'deals:write', 'contacts:read'];
    const narrow = w.restAs(await issue(service.database, w.admin, { scopes: given }));
    for (const [asked, lacked] of [
      [undefined, ['*']],
      [['*'], ['*']],
      [['read'], ['read']],
      [
        ['deals:read', 'contacts:write', 'users:read'],
        ['contacts:write', 'users:read'],
      ],
    ]) {
      const answer = await narrow.post('/tokens', { name: 'CI', scopes: asked });
      expect(answer).toAnswer(403, lacking(...(lacked ?? [])));
    }
    const asked = ['deals:read', 'deals:write', 'contacts:read', 'tokens:write'];
    expect(await make({ scopes: asked }, narrow)).toMatchObject({ scopes: asked });
  });

  test('none outlives the token that makes it', async () => {
    const brief = w.restAs(await issue(service.database, w.admin, { expiresIn: 600 }));
    for (const expires_in of ['11m', 'never']) {
      const answer = await brief.post('/tokens', { name: 'CI', expires_in });
      expect(answer).toAnswer(
        422,
        invalid({
          expires_in: 'must not be longer than what is left of the token that makes it',
        }),
      );
    }
    await make({ expires_in: '9m' }, brief);
  });

  test('one that was revoked or whose user was demoted elsewhere makes none, even when still believed', async () => {
    const admin = await w.user({ role: 'admin' });
    const holder = { id: admin.id, account_id: w.accountId };
    const there = new Rest(other.client, w.accountId, await issue(service.database, holder));
    expect(await there.get('/me')).toAnswer(200);
    await w.rest.put(`/users/${admin.id}`, { role: 'member' });
    const others = { name: 'CI', user_id: w.member.id };
    expect(await there.post('/tokens', others)).toAnswer(403, forbidden);
    const made = await make();
    const believed = new Rest(other.client, w.accountId, made.access_token);
    expect(await believed.get('/me')).toAnswer(200);
    expect(await w.rest.delete(`/tokens/${made.id}`)).toAnswer(204);
    expect(await believed.post('/tokens', { name: 'CI' })).toAnswer(401, unauthorized);
  });

  test('a session makes them for ever and with every scope, and none once it has ended elsewhere', async () => {
    const { email } = await w.user();
    const [here, there] = [new Person(service.client), new Person(other.client)];
    await here.signIn(email);
    there.cookie = here.cookie;
    const form = `mutation { create_token(account_id: ${w.accountId}, input: {name: "CI", expires_in: "never"}) {
      token { scopes expires_at } } }`;
    const made = { create_token: { token: { scopes: ['*'], expires_at: null } } };
    expect(await there.graphql(form)).toAnswer(200, { data: made });
    expect(await here.send('DELETE', '/session')).toAnswer(204);
    const answer = await there.graphql<{ errors: unknown[] }>(form);
    expect(answer.body.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });

  test('the trail has its making and its revocation, and nobody can read the token from anything', async () => {
    const made = await make({ scopes: ['read'] });
    await w.rest.delete(`/tokens/${made.id}`);
    await w.rest.delete(`/tokens/${made.id}`);
    const entry = { user_id: w.admin.id, record_type: 'token' };
    const { expires_at } = made;
    expect(await trail(made.id)).toEqual([
      {
        ...entry,
        action: 'token.create',
        before: null,
        after: { user_id: w.admin.id, name: 'CI', scopes: ['read'], expires_at, revoked_at: null },
      },
      {
        ...entry,
        action: 'token.revoke',
        before: { revoked_at: null },
        after: { revoked_at: moment },
      },
    ]);
    const [, , signature = ''] = made.access_token.split('.');
    expect(service.logged.join('\n')).not.toContain(signature);
    const rows = await service.database.query(
      'SELECT t::text, a::text AS entry FROM api_tokens AS t JOIN audit_entries AS a USING (account_id) WHERE account_id = $1',
      [w.accountId],
    );
    expect(JSON.stringify(rows)).not.toContain(signature);
  });
});

describe('tokens that there are', () => {
  test('a member finds their own alone, an admin all of the account', async () => {
    const own = await world(service);
    const member = own.restAs(own.member.token);
    const mine = await make({ name: 'Mine' }, member);
    const hers = await make({ name: 'Hers' }, own.rest);
    const named = async (rest: Rest, query: Input = {}) => {
      const answer = await rest.post<{ data: { name: string }[] }>('/tokens/search', { query });
      expect(answer).toAnswer(200);
      return answer.body.data.map(({ name }) => name);
    };
    expect(await named(own.rest)).toEqual(['test', 'test', 'Mine', 'Hers']);
    expect(await named(member)).toEqual(['test', 'Mine']);
    expect(await named(member, { m: 'or', id_eq: hers.id, name_eq: 'Mine' })).toEqual(['Mine']);
    expect(await named(member, { user_id_eq: own.admin.id })).toEqual([]);
    expect(await named(own.rest, { user_id_eq: own.member.id, s: 'id desc' })).toEqual([
      'Mine',
      'test',
    ]);
    expect(await member.get(`/tokens/${mine.id}`)).toAnswer(200);
    for (const token of [hers.id, 999_999_999]) {
      expect(await member.get(`/tokens/${token}`)).toAnswer(404, notFound);
      expect(await member.delete(`/tokens/${token}`)).toAnswer(404, notFound);
    }
    expect(await own.rest.get(`/tokens/${mine.id}`)).toAnswer(200);
    expect(await w.rest.get(`/tokens/${mine.id}`)).toAnswer(404, notFound);
    expect(await w.rest.delete(`/tokens/${mine.id}`)).toAnswer(404, notFound);
  });

  test('a search finds those that are revoked, or have a scope', async () => {
    const own = await world(service);
    const made = await make({ scopes: ['deals:read'] }, own.rest);
    await own.rest.delete(`/tokens/${made.id}`);
    const { access_token: _, ...record } = made;
    const page = onePage([{ ...record, revoked_at: moment }]);
    for (const query of [{ revoked_at_null: false }, { scopes_eq: 'deals:read' }]) {
      expect(await own.rest.post('/tokens/search', { query })).toAnswer(200, page);
    }
  });
});

describe('the end of a token', () => {
  test('a revoked one is refused at once in this process, and can revoke itself', async () => {
    const made = await make();
    const rest = w.restAs(made.access_token);
    expect(await rest.delete(`/tokens/${made.id}`)).toAnswer(204, undefined);
    expect(await rest.get('/me')).toAnswer(401, unauthorized);
    // Its use is noted behind its answer.
    const { body } = await until(
      () => w.rest.get<Issued>(`/tokens/${made.id}`),
      (told) => told.body.last_used_at !== null,
      5000,
    );
    expect(body).toMatchObject({ last_used_at: moment, revoked_at: moment });
    expect(await w.rest.delete(`/tokens/${made.id}`)).toAnswer(204, undefined);
    expect(await w.rest.get(`/tokens/${made.id}`)).toAnswer(200, body);
  });

  test('revocation, demotion and deletion are known at once', async () => {
    const [revoked, demoted, gone] = [
      await make(),
      await w.user({ role: 'admin' }),
      await w.user({ role: 'admin' }),
    ];
    const tokenOf = async (user: { id: number }) => (await make({ user_id: user.id })).access_token;
    const cases = [
      {
        token: revoked.access_token,
        status: 401,
        end: () => w.rest.delete(`/tokens/${revoked.id}`),
      },
      {
        token: await tokenOf(demoted),
        status: 403,
        end: () => w.rest.put(`/users/${demoted.id}`, { role: 'member' }),
      },
      {
        token: await tokenOf(gone),
        status: 401,
        end: () => w.rest.delete(`/users/${gone.id}`),
      },
    ];
    await Promise.all(
      cases.map(async ({ token, status, end }) => {
        const ask = () => w.restAs(token).post('/pipelines', {});
        expect((await ask()).status).toBe(422);
        expect((await end()).status).toBeLessThan(300);
        expect((await ask()).status).toBe(status);
      }),
    );
  });
});
