/** Every route of the table × everyone who may not use it. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { rightOf } from '../../src/auth/policy.ts';
import { filled, oneOfEach } from '../kit/one_of_each.ts';
import { forbidden, notFound, unauthorized } from '../kit/refusals.ts';
import { routes as specified } from '../kit/routes.ts';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { tables } from '../kit/tables.ts';
import { issue } from '../kit/tokens.ts';
import { type World, world } from '../kit/world.ts';

const { exportRoutes, routes } =
  await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const service = await sharedService();
/** The one who calls, and another account. */
let mine: World;
let theirs: World;
/** An id of each resource, of the other account. */
let ids: Readonly<Record<string, number>>;
let tokens: Record<'expired' | 'revoked' | 'forged', string>;
/** Every row of the other account, before anybody touched it. */
let before: string;

/** Every row of an account, as text. */
async function snapshot({ accountId }: World): Promise<string> {
  const rows = await Promise.all(
    tables.map((table) =>
      service.database.query(
        `SELECT '${table}' AS of, t.* FROM ${table} AS t WHERE account_id = $1 ORDER BY id`,
        [accountId],
      ),
    ),
  );
  return JSON.stringify(rows);
}

beforeAll(async () => {
  [mine, theirs] = [await world(service), await world(service)];
  ids = await oneOfEach(theirs);
  tokens = {
    expired: await issue(service.database, theirs.admin, { expiresIn: -5 }),
    revoked: await issue(service.database, theirs.admin),
    forged: await issue(service.database, theirs.admin, {
      key: 'not the secret of the service, though long',
    }),
  };
  await service.database.query(
    'UPDATE api_tokens SET revoked_at = now() WHERE id = (SELECT max(id) - 1 FROM api_tokens)',
  );
  before = await snapshot(theirs);
});

/** The path with ids of the other account in it. */
const theirPath = (path: string) => filled(path, ids);

const table = [...routes, ...exportRoutes].map((route) => ({
  ...route,
  name: `${route.method} ${route.path}`,
}));

test('the table has all of the nineteen endpoints', () => {
  const known = new Set(table.map((route) => route.name));
  expect(specified.filter(({ method, path }) => !known.has(`${method} ${path}`))).toEqual([]);
});

describe.each(table)('$name', (route) => {
  const { method, path, action } = route;
  const body = method === 'GET' || method === 'DELETE' ? undefined : {};

  test.each([
    ['no token', () => undefined],
    ['a malformed token', () => 'abc.def.ghi'],
    ['an expired token', () => tokens.expired],
    ['a revoked token', () => tokens.revoked],
    ['a forged token', () => tokens.forged],
  ])('401 with %s', async (_, token) => {
    expect(await theirs.restAs(token()).send(method, theirPath(path), body)).toAnswer(
      401,
      unauthorized,
    );
  });

  test('404 in the account of others, as in one that does not exist', async () => {
    const foreign = theirs.restAs(mine.admin.token);
    const sane = { 'x-request-id': 'one' };
    const answer = await foreign.send(method, theirPath(path), body, sane);
    expect(answer).toAnswer(404, notFound);
    const nowhere = await service.client.send({
      method,
      path: `/api/v1/accounts/999999999${theirPath(path)}`,
      headers: {
        ...sane,
        authorization: `Bearer ${mine.admin.token}`,
        'content-type': 'application/json',
      },
      ...(body ? { body: '{}' } : {}),
    });
    expect(nowhere.text).toBe(answer.text);
  });

  if (path.includes('/:')) {
    test('404 with the id of a record of others, as with one that does not exist', async () => {
      const sane = { 'x-request-id': 'one' };
      const answer = await mine.rest.send(method, theirPath(path), body, sane);
      expect(answer).toAnswer(404, notFound);
      const nothing = await mine.rest.send(
        method,
        path.replace(/:[a-z_]+/g, '999999999'),
        body,
        sane,
      );
      expect(nothing.text).toBe(answer.text);
    });
  }

  if (rightOf(action).role === 'admin') {
    test('403 for a member', async () => {
      const member = theirs.restAs(theirs.member.token);
      expect(await member.send(method, theirPath(path), body)).toAnswer(403, forbidden);
    });
  } else if (method === 'GET' || route.body === 'search') {
    test('200 for a member', async () => {
      // An export leaves an entry in the audit trail.
      const account = path.endsWith('/export') ? mine : theirs;
      const member = account.restAs(account.member.token);
      const asked = path === '/find' ? '?q=ana' : '';
      expect(await member.send(method, theirPath(path) + asked, body)).toAnswer(200);
    });
  }
});

test('nothing of the other account was touched by any of these', async () => {
  expect(await snapshot(theirs)).toBe(before);
});

describe('GraphQL', () => {
  const ask = (token: string | undefined) =>
    theirs.graphqlAs(token).send(`{ contacts(account_id: ${theirs.accountId}) { data { id } } }`);
  const codeOf = async (token: string | undefined) =>
    (await ask(token)).body.errors?.[0]?.extensions.code;

  test('UNAUTHENTICATED with no token, or one that is malformed, expired, revoked or forged', async () => {
    for (const token of [undefined, 'abc.def.ghi', tokens.expired, tokens.revoked, tokens.forged]) {
      const answer = await ask(token);
      expect(answer.body.errors?.map((error) => error.extensions.code)).toEqual([
        'UNAUTHENTICATED',
      ]);
      expect(answer.body.data ?? null).toBeNull();
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  test('NOT_FOUND in the account of others', async () => {
    expect(await codeOf(mine.admin.token)).toBe('NOT_FOUND');
  });
});
