import type { FastifyInstance, FastifyRequest } from 'fastify';
import { parse as parseQuery } from 'qs';
import { authorize } from '../auth/policy.ts';
import type { Verifier } from '../auth/verifier.ts';
import type { Context } from '../context.ts';
import { Faults } from '../errors.ts';
import { bodyObject } from '../http/body.ts';
import { identify } from '../http/viewer.ts';
import { isJsonObject, stringifyJson } from '../json.ts';
import { stringifyLargeJson } from '../large_json.ts';
import { type Arguments, runner } from './gateway.ts';
import { inputFields } from './operations.ts';
import { aliases, type Route, routes } from './routes.ts';

export const prefix = '/api/v1/accounts/:account_id';

export interface RestOptions {
  readonly verifier: Verifier;
  /** The context of a request's use cases. */
  readonly contextOf: (request: FastifyRequest) => Context;
}

/** Adds every row of the route table to the server. */
export function addRest(server: FastifyInstance, options: RestOptions): void {
  for (const row of routes) {
    const run = runner(row);
    const fields = row.takes === 'input' ? inputFields(row.operation) : [];
    for (const route of [row, ...aliases(row)]) {
      server.route<{ Params: Params }>({
        method: route.method,
        url: prefix + route.path,
        config: {
          takesBody: route.takes !== undefined && route.method !== 'GET',
          takesRecord: route.takes === 'input',
        },
        onRequest: async (request, reply) => {
          const viewer = await identify(request, reply, options.verifier);
          authorize(viewer, request.params.account_id, route.action);
        },
        handler: async (request, reply) => {
          const context = options.contextOf(request);
          const { params } = request;
          // A missing record is reported before a body that is not an object: an update without
          // fields only looks for its record.
          const updates = route.takes === 'input' && params.id !== undefined;
          if (updates && request.body !== undefined && !isJsonObject(request.body)) {
            await run(context, { ...params, input: {} });
          }
          const { status, body } = await run(context, argumentsOf(route, request, fields));
          reply.status(status);
          if (body === undefined) return reply.send();
          reply.type('application/json; charset=utf-8');
          const { isLarge } = context.budget;
          return reply.send(isLarge ? await stringifyLargeJson(body) : stringifyJson(body));
        },
      });
    }
  }
}

/** Parameters of a path, named like the arguments of its root field. */
type Params = Readonly<Record<string, string>> & { readonly account_id: string };

function argumentsOf(
  route: Route,
  request: FastifyRequest<{ Params: Params }>,
  fields: readonly string[],
): Arguments {
  const place = request.params;
  switch (route.takes) {
    case 'input': {
      const body = bodyObject(request.body);
      const known = fields.filter((field) => Object.hasOwn(body, field));
      return { ...place, input: Object.fromEntries(known.map((field) => [field, body[field]])) };
    }
    case 'search':
      return { ...place, ...searchOf(route, request) };
    default:
      return place;
  }
}

/** The parts of a search: from the body, and from the query string where the body lacks them. */
function searchOf(route: Route, request: FastifyRequest): Arguments {
  const address = request.url.indexOf('?');
  const text = address === -1 ? '' : request.url.slice(address + 1);
  const url = parseQuery(text, {
    depth: 32,
    arrayLimit: 1000,
    parameterLimit: 10_000,
    plainObjects: true,
  });
  if (route.method === 'GET') refuseUnread(text, Object.keys(url));
  const { query, page, per_page } = route.method === 'GET' ? url : bodyObject(request.body);
  return { query, page: page ?? url.page, per_page: per_page ?? url.per_page };
}

/**
 * Parsing a query string drops unbalanced brackets and names such as `__proto__`, but no condition
 * may be lost silently.
 * @throws {Fault} INVALID_SEARCH
 */
function refuseUnread(text: string, names: readonly string[]): void {
  const faults = new Faults('INVALID_SEARCH');
  for (const name of names) {
    if (name !== 'query' && name.startsWith('query')) faults.add(name, 'cannot be read');
  }
  if ([...new URLSearchParams(text).keys()].some((name) => name.includes('__proto__'))) {
    faults.add('__proto__', 'is not a searchable attribute');
  }
  faults.throwIfAny();
}
