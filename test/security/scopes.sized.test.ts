/** What tokens may do by their scopes: every operation × each scope, as REST and as GraphQL. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, getNamedType, isObjectType, print } from 'graphql';
import { type Scope, scopes } from '../../src/auth/scopes.ts';
import type { GraphqlBody } from '../kit/graphql.ts';
import { lacking } from '../kit/refusals.ts';
import { sample } from '../kit/sample.ts';
import { Scoped } from '../kit/scoped.ts';
import { sharedService } from '../kit/service.ts';
import { shipped } from '../kit/shared.ts';
import { issue } from '../kit/tokens.ts';
import { world } from '../kit/world.ts';

const { operations } =
  await shipped<typeof import('../../src/rest/operations.ts')>('rest/operations.js');
const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

const schema = buildSchema(readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8'));
const service = await sharedService();
const w = await world(service);
const scoped = new Scoped(w);

/** What the contract says that each resource of a path takes, in words of its own. */
const resourceOf: Readonly<Record<string, string>> = {
  contacts: 'contacts',
  deals: 'deals',
  deal_assignees: 'deals',
  deal_products: 'deals',
  products: 'products',
  events: 'events',
  pipelines: 'pipelines',
  stages: 'pipelines',
  users: 'users',
  tokens: 'tokens',
  webhooks: 'webhooks',
  deliveries: 'webhooks',
};

/** Parts of a path that follow a resource and are not resources themselves. */
const verbs = [
  ...['search', 'upsert', 'batch', 'restore', 'merge', 'duplicates'],
  ...['rotate_secret', 'test', 'replay', 'retry'],
];

/** The scope that a route takes; undefined where any token will do. */
function scopeOf({ method, path, body }: (typeof routes)[number]): Scope | undefined {
  if (path === '/me' || path === '/find') return undefined;
  if (method === 'POST' && path === '/users') return '*';
  const parts = path.split('/').filter((part) => part !== '' && !part.startsWith(':'));
  const named = parts.filter((part) => !verbs.includes(part)).at(-1);
  const resource = named === undefined ? 'account' : resourceOf[named];
  if (!resource) throw new Error(`nothing is known of ${path}`);
  const verb = method === 'GET' || body === 'search' ? 'read' : 'write';
  return scopes.find((scope) => scope === `${resource}:${verb}`) ?? '*';
}

/** Whether a scope includes another. */
const includes = (held: Scope, needed: Scope): boolean =>
  held === '*' ||
  held === needed ||
  (held === 'read' && needed.endsWith(':read')) ||
  held.replace(':write', ':read') === needed;

/** Which records changes are about, and so which further scopes they take, is for the client to say. */
const table = routes
  // A merge also takes the right to write deals.
  .filter(({ isFollowed, operation }) => !isFollowed && operation !== 'merge_contacts')
  .map((route, at) => ({
    ...route,
    tried: sample(scopes, 4, at),
    name: `${route.method} ${route.path}`,
  }));

describe('REST', () => {
  test.each(table)('$name takes the scope of its resource, and that alone', async (route) => {
    const needed = scopeOf(route);
    const { tried } = route;
    const path = route.path.replace(/:[a-z_]+/g, '999999999');
    // Without scopes a token has all, and only one that has all can make it.
    const body = route.body === 'input' ? { scopes: [] } : route.body && {};
    const refused = await Promise.all(
      tried.map(async (scope) => {
        const answer = await (await scoped.rest(scope)).send(route.method, path, body);
        if (answer.status !== 403) {
          expect([200, 201, 404, 422]).toContain(answer.status);
          return undefined;
        }
        expect(answer).toAnswer(403, lacking(String(needed)));
        expect(answer.headers['www-authenticate']).toBe(
          `Bearer error="insufficient_scope", scope="${needed}"`,
        );
        return scope;
      }),
    );
    expect(refused.filter((scope) => scope !== undefined)).toEqual(
      tried.filter((scope) => needed && !includes(scope, needed)),
    );
  });

  test('a scope is asked for before any of the body is read', async () => {
    const rest = await scoped.rest('contacts:read');
    expect(await rest.post('/deals', '{')).toAnswer(403, lacking('deals:write'));
    expect(await rest.post('/contacts/search', '{')).toAnswer(400);
  });

  test('a fixed answer shows what it embeds', async () => {
    const deal = await w.deal({ contact_id: (await w.contact({ full_name: 'Ana' })).id });
    const answer = await (await scoped.rest('deals:read')).get(`/deals/${deal.id}`);
    expect(answer).toAnswer(200);
    expect(answer.body).toMatchObject({ contact: { full_name: 'Ana' } });
  });

  test('what a role may not do is refused as such, whatever the scope', async () => {
    const token = await issue(service.database, w.member, { scopes: ['read'] });
    expect((await w.restAs(token).post('/pipelines', {})).body).toMatchObject({
      errors: ['Forbidden'],
    });
  });
});

/** Kinds of records by GraphQL type. */
const types: Readonly<Record<string, string>> = {
  Account: 'account',
  AuditEntry: 'audit',
  Contact: 'contacts',
  Deal: 'deals',
  DealAssignee: 'deals',
  DealProduct: 'deals',
  Event: 'events',
  Pipeline: 'pipelines',
  Product: 'products',
  Stage: 'pipelines',
  Token: 'tokens',
  User: 'users',
  Webhook: 'webhooks',
  WebhookDelivery: 'webhooks',
};
/** Types that are not records; the fragments of those that they show are in the document, too. */
const withoutScope = ['DuplicateGroup', 'Me', 'Pagination'];

const readScope = (type: string): Scope => {
  const found = scopes.find((scope) => scope === `${types[type]}:read`);
  if (!found) throw new Error(`nothing is known of ${type}`);
  return found;
};

describe('GraphQL', () => {
  test.each(table)('$operation takes that, and the read scope of every type', async (route) => {
    const document = operations.get(route.operation);
    if (!document) throw new Error(`no operation is stored as ${route.operation}`);
    const selected = document.definitions.flatMap((definition) =>
      definition.kind === 'FragmentDefinition' &&
      !withoutScope.includes(definition.typeCondition.name.value)
        ? readScope(definition.typeCondition.name.value)
        : [],
    );
    const own = scopeOf(route);
    const needed = new Set([...selected, ...(own ? [own] : [])]);
    const input = route.operation === 'create_token' ? { scopes: [] } : {};
    const nobody = 999_999_999;
    const given = { id: nobody, contact_id: nobody, deal_id: nobody, webhook_id: nobody, input };
    await Promise.all(
      route.tried.map(async (scope) => {
        const lacked = await scoped.lacked([scope], print(document), given);
        const missing = [...needed].filter((one) => !includes(scope, one));
        // The document is refused for what it selects, before its fields are run.
        const told = selected.filter((one) => !includes(scope, one));
        const expected = told.length > 0 ? told : missing;
        expect([scope, new Set(lacked)]).toEqual([scope, new Set(expected)]);
      }),
    );
    const exactly = scopes.filter((scope) => needed.has(scope));
    if (exactly.length === 0) return;
    expect(await scoped.lacked([...exactly], print(document), given)).toEqual([]);
  });

  /** Every field of a record that leads to other records. */
  const relations = Object.keys(types).flatMap((type) => {
    const parent = schema.getType(type);
    if (!isObjectType(parent)) throw new Error(`the schema has no ${type}`);
    return Object.values(parent.getFields()).flatMap((field) => {
      const to = getNamedType(field.type).name;
      return to in types ? [{ type, field: field.name, to }] : [];
    });
  });

  test.each(relations)('$field of $type takes the scope of $to', async ({ type, field, to }) => {
    const id = 'account_id: $account_id, id: 999999999';
    const root = type.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
    const one =
      type === 'DealAssignee'
        ? `deal(${id}) { deal_assignees { ...parent } }`
        : `${root}(${id}) { ...parent }`;
    const document = (inner: string, ...rest: string[]) =>
      `query ($account_id: Integer!) { ${one} } fragment parent on ${type} { ${inner} } ${rest}`;
    const [own, other] = [readScope(type), readScope(to)];
    const forms = [
      document(`${field} { id }`),
      document(`other: ${field} { __typename }`),
      document(`... on ${type} { ... { ${field} @include(if: false) { id } } }`),
      document('...deeper', `fragment deeper on ${type} { id ${field} { id } }`),
    ];
    for (const form of forms) {
      const lacked = await scoped.lacked([own], form);
      expect(lacked).toEqual(own === other ? [] : [other]);
      expect(await scoped.lacked([own, other], form)).toEqual([]);
    }
  });

  test('only the operation that is run counts', async () => {
    const document = `query a { account(account_id: ${w.accountId}) { id } }
      query b { contacts(account_id: ${w.accountId}) { data { id } } }`;
    const ask = async (operationName: string) =>
      service.client.send<GraphqlBody<unknown>>({
        method: 'POST',
        path: '/graphql',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${await scoped.token('account:read')}`,
        },
        body: JSON.stringify({ query: document, operationName }),
      });
    for (const _ of [1, 2, 3]) {
      expect((await ask('a')).body.errors).toBeUndefined();
      const refused = await ask('b');
      expect(refused.status).toBe(403);
      expect(refused.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_scope", scope="contacts:read"',
      );
      expect(refused.body).toEqual({
        errors: [
          {
            message: 'Forbidden',
            extensions: {
              code: 'INSUFFICIENT_SCOPE',
              errors: ['The token lacks the scope contacts:read'],
            },
          },
        ],
      });
    }
  });
});

test('the schema says what selecting a type and what a mutation takes', () => {
  for (const type of Object.keys(types)) {
    expect([type, schema.getType(type)?.description]).toEqual([
      type,
      expect.stringMatching(RegExp(`Selecting it takes\\s\`${readScope(type)}\`\\.$`)),
    ]);
  }
  const mutations = schema.getMutationType()?.getFields() ?? {};
  for (const route of routes.filter(({ operation }) => operation in mutations)) {
    const scope = String(scopeOf(route)).replace('*', '\\*');
    expect([route.operation, mutations[route.operation]?.description]).toEqual([
      route.operation,
      expect.stringMatching(RegExp(`Takes\\s\`${scope}\``)),
    ]);
  }
});
