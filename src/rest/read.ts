/** From a request to what its route is called with. */
import type { FastifyRequest } from 'fastify';
import type { Misplaced } from '../errors.ts';
import { bodyObject } from '../http/body.ts';
import { misplaced, type Sorted, sorting, wrapperOf } from './body.ts';
import type { Arguments } from './gateway.ts';
import { parameters, queryString } from './query_string.ts';
import type { Route } from './routes.ts';
import { searchOf } from './search.ts';

/** Parameters of a path, named as the arguments of its root field. */
export type Params = Readonly<Record<string, string>> & { readonly account_id: string };

/** What a request calls its route with. */
export interface Call {
  readonly given: Arguments;
  /** What is no part of the call, and is refused. */
  readonly misplaced: readonly Misplaced[];
  /** Names of what is no part of the call, and is ignored. */
  readonly ignored: readonly string[];
}

type Request = FastifyRequest<{ Params: Params }>;

const nothing: readonly never[] = [];

/**
 * @returns what reads the requests of a route; `strict` has refused what would otherwise be ignored.
 *   It throws a {@link Fault} VALIDATION_FAILED for a body that is no object.
 */
export function reading(route: Route): (request: Request, strict: boolean) => Call {
  switch (route.takes) {
    case 'input': {
      const sort = sorting(route.operation);
      return (request, strict) => {
        const body = bodyObject(request.body);
        const sorted = sort(body);
        const { unknown, input } = sorted;
        const text = queryString(request);
        const given = { ...request.params, input };
        if (unknown.length === 0 && text === '') {
          return { given, misplaced: nothing, ignored: nothing };
        }
        return { given, ...beside(sorted, body, Object.keys(parameters(text)), strict) };
      };
    }
    case 'search':
      return (request) => {
        const { given, misplaced } = searchOf(request, nothing);
        return { given: { ...request.params, ...given }, misplaced, ignored: nothing };
      };
    default:
      return ({ params }) => ({ given: params, misplaced: nothing, ignored: nothing });
  }
}

/** What of a write is no field of its record: in the body, and in the query string. */
function beside(
  sorted: Sorted,
  body: Readonly<Record<string, unknown>>,
  parameters: readonly string[],
  strict: boolean,
): Omit<Call, 'given'> {
  const wrapper = wrapperOf(body, sorted);
  if (wrapper !== undefined) {
    const message =
      'is not a field: the fields stand in the body itself, not in an object within it';
    return { misplaced: [{ name: wrapper, message }], ignored: nothing };
  }
  const outside = parameters.map((name) => ({ name, message: 'belongs in the body, as JSON' }));
  if (strict)
    return { misplaced: [...sorted.unknown.map(misplaced), ...outside], ignored: nothing };
  const isEmpty = Object.keys(body).length === 0;
  const ignored = [...sorted.unknown, ...(isEmpty ? nothing : outside)].map(({ name }) => name);
  return { misplaced: isEmpty ? outside : nothing, ignored };
}
