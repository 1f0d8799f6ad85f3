/** One call, as REST and as its GraphQL twin, brought to one form. */
import { print } from 'graphql';
import { type Code, codes } from '../../src/errors/errors.ts';
import type { Route } from '../../src/rest/routes.ts';
import type { ErrorBody } from '../kit/records.ts';
import type { Headers } from '../kit/rest.ts';
import { shipped } from '../kit/shared.ts';
import type { World } from '../kit/world.ts';

const { operations } =
  await shipped<typeof import('../../src/rest/operations.ts')>('rest/operations.js');
const { routes } = await shipped<typeof import('../../src/rest/routes.ts')>('rest/routes.js');

export interface Call {
  /** Ids by their names: in the path, and in the query string where that has none of the name. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** What a call came to: data or a refusal, on either surface. */
export interface Outcome {
  readonly status: number;
  readonly data?: unknown;
  readonly errors?: readonly string[];
  readonly fields?: unknown;
}

export function routeOf(operation: string): Route {
  const route = routes.find((each) => each.operation === operation);
  if (!route) throw new Error(`no route runs ${operation}`);
  return route;
}

/** A call as a request, its path beneath the account. */
export function requestOf(operation: string, { params = {}, body }: Call) {
  const { method, path } = routeOf(operation);
  const others = new Map(Object.entries(params).map(([name, id]) => [name, String(id)]));
  const address = path.replace(/:([a-z_]+)/g, (_, name) => {
    const id = others.get(name);
    others.delete(name);
    return String(id);
  });
  const query = new URLSearchParams([...others]).toString();
  return { method, path: query ? `${address}?${query}` : address, body };
}

export async function viaRest(
  w: World,
  token: string,
  operation: string,
  call: Call,
): Promise<Outcome> {
  const request = requestOf(operation, call);
  const { status, body } = await w
    .restAs(token)
    .send<ErrorBody | undefined>(request.method, request.path, request.body);
  if (status < 400) return body === undefined ? { status } : { status, data: body };
  const fields = body?.fields ? { fields: body.fields } : {};
  return { status, errors: body?.errors ?? [], ...fields };
}

export async function viaGraphql(
  w: World,
  token: string,
  operation: string,
  call: Call,
  headers?: Headers,
): Promise<Outcome> {
  const route = routeOf(operation);
  const document = operations.get(operation);
  if (!document) throw new Error(`no operation is stored as ${operation}`);
  const { query, page, per_page, after, count } = call.body ?? {};
  const given = {
    input: { input: call.body ?? {} },
    search: { query, page, per_page, after, count },
    batch: call.body,
    none: {},
  };
  const variables = { account_id: w.accountId, ...call.params, ...given[route.body ?? 'none'] };
  const { body } = await w
    .graphqlAs(token)
    .send<Record<string, Record<string, unknown>>>(print(document), variables, headers);
  const [error, ...more] = body.errors ?? [];
  if (more.length > 0) throw new Error(`${operation} was refused more than once`);
  if (error) {
    const { code, errors = [], fields } = error.extensions;
    return { status: statusOf(code), errors, ...(fields ? { fields } : {}) };
  }
  const payload = body.data?.[operation];
  if (!payload) throw new Error(`${operation} returned nothing`);
  const answer = route.answer(payload);
  return answer.body === undefined
    ? { status: answer.status }
    : { status: answer.status, data: answer.body };
}

function statusOf(code: string): number {
  const known = Object.keys(codes).find((each): each is Code => each === code);
  if (!known) throw new Error(`GraphQL told an unknown code ${code}`);
  return codes[known].status;
}

/** The same in every world: ids by the order they appear in, moments and random parts by name. */
export function alike(value: unknown): unknown {
  const ids = new Map<number, string>();
  const nameOf = (id: number) => {
    const name = ids.get(id) ?? `#${ids.size + 1}`;
    ids.set(id, name);
    return name;
  };
  const walk = (inner: unknown, key: string): unknown => {
    if (Array.isArray(inner)) return inner.map((each) => walk(each, key));
    if (typeof inner === 'object' && inner !== null) {
      return Object.fromEntries(
        Object.entries(inner).map(([name, each]) => [name, walk(each, name)]),
      );
    }
    // Uses are written down a moment later.
    if (key === 'last_used_at') return 'a moment or none';
    if (/^(change_order|place_(order|entry))$/.test(key)) return 'a place among all changes';
    if (typeof inner === 'number' && /(^|_)id$/.test(key)) return nameOf(inner);
    if (typeof inner !== 'string') return inner;
    if (key === 'request_id') return 'a request';
    if (key === 'cursor' || (key === 'next' && inner !== '')) return 'a cursor';
    if (/^(access_token|message_id|(previous_)?secret)$/.test(key)) return `a ${key}`;
    if (key === 'request_body') return walk(JSON.parse(inner), key);
    if (/^\d{4}-\d\d-\d\dT/.test(inner)) return 'a moment';
    return inner.replace(/\.[0-9a-f]{8}-[0-9a-f]{4}@/, '@');
  };
  return walk(value, '');
}
