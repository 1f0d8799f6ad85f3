/** From a request to what its route is called with. */
import { coded } from '../errors/codes.ts';
import { didYouMean } from '../errors/did_you_mean.ts';
import { maxNamed } from '../errors/errors.ts';
import type { Variables } from '../graphql/operation.ts';
import { bodyObject } from '../http/body.ts';
import type { JsonObject } from '../json/json.ts';
import { batchReader } from './batch.ts';
import { bodySorter } from './body.ts';
import { argumentsBeside, hasParts } from './operations.ts';
import { type ChosenFields, Parts } from './part.ts';
import { parameters, queryString } from './query_string.ts';
import type { Params, Readable, RouteCall } from './request.ts';
import type { Route } from './routes.ts';
import { searchOf, withoutEmpty } from './search.ts';
import { classifyUnknown } from './unknown_parameters.ts';

const nothing: readonly never[] = [];

/** The parameter that chooses fields, which every route with an answer has. */
const fieldsParameter = 'fields';

/**
 * @returns a function that reads the requests of a route; `strict` has it refuse what would otherwise be
 *   ignored. It throws a {@link Fault} VALIDATION_FAILED for a body that is not an object.
 */
export function requestReader(route: Route): (request: Readable, strict: boolean) => RouteCall {
  const parts = hasParts(route) ? new Parts(route.operation) : undefined;
  const choose = (call: RouteCall, { fields, misplaced: unknown }: ChosenFields): RouteCall => ({
    ...call,
    ...(parts && fields && { part: parts.run(fields) }),
    misplaced: [...call.misplaced, ...unknown],
  });
  switch (route.body) {
    case 'input': {
      const sort = bodySorter(route.operation);
      return (request, strict) => {
        const body = bodyObject(request.body);
        const sorted = sort(body);
        const text = queryString(request);
        const args = withParams({ input: sorted.input }, request.params);
        if (sorted.unknown.length === 0 && text === '') {
          return { args, misplaced: nothing, ignored: nothing };
        }
        const url = parameters(text);
        const { [fieldsParameter]: _, ...others } = url;
        const call = { args, ...classifyUnknown(sorted, body, others, strict) };
        return parts ? choose(call, parts.read(url)) : call;
      };
    }
    case 'batch':
      return batchReader(route);
    case 'search':
      return (request) => {
        const { url, args, misplaced } = searchOf(request, [fieldsParameter]);
        const call = { args: withParams(args, request.params), misplaced, ignored: nothing };
        return parts && url.fields !== undefined ? choose(call, parts.read(url)) : call;
      };
    default: {
      const named = argumentsBeside(route).map(({ name }) => name);
      return (request) => {
        const call = { args: request.params, misplaced: nothing, ignored: nothing };
        const text = parts || named.length > 0 ? queryString(request) : '';
        if (text === '') return call;
        const url = withoutEmpty(parameters(text));
        if (named.length > 0) return { ...call, ...argumentsIn(url, request.params, named) };
        return parts ? choose(call, parts.read(url)) : call;
      };
    }
  }
}

/** Adds the parameters of the path; they are assigned, not spread, as `src/docs/explanation/v8.md` says. */
const withParams = (args: Variables, params: Params): Variables => Object.assign(args, params);

/**
 * The arguments in a query string. An unknown parameter is refused: it may have been meant as one of them,
 * and what the call does cannot be undone.
 */
function argumentsIn(
  url: JsonObject,
  params: Params,
  named: readonly string[],
): Pick<RouteCall, 'args' | 'misplaced'> {
  const isNamed = ([name]: readonly [string, unknown]) => named.includes(name);
  const entries = Object.entries(url);
  return {
    args: { ...Object.fromEntries(entries.filter(isNamed)), ...params },
    misplaced: entries
      .filter((one) => !isNamed(one))
      .slice(0, maxNamed)
      .map(([name]) => ({
        name,
        message: coded('unknown_field', `is not a parameter${didYouMean(name, named)}`),
      })),
  };
}
