/** From a request to what its route is called with. */
import { didYouMean } from '../errors/did_you_mean.ts';
import { maxTold } from '../errors/errors.ts';
import { bodyObject } from '../http/body.ts';
import type { JsonObject } from '../json/json.ts';
import { readingBatch } from './batch.ts';
import { sorting } from './body.ts';
import type { Arguments } from './gateway.ts';
import { argumentsBeside, hasParts } from './operations.ts';
import { type Chosen, Parts } from './part.ts';
import { parameters, queryString } from './query_string.ts';
import type { Call, Params, Request } from './request.ts';
import type { Route } from './routes.ts';
import { searchOf, withoutEmpty } from './search.ts';
import { beside } from './unknown_parameters.ts';

const nothing: readonly never[] = [];

/** The parameter that chooses fields, which every route with an answer has. */
const choosing = 'fields';

/**
 * @returns a function that reads the requests of a route; `strict` has it refuse what would otherwise be
 *   ignored. It throws a {@link Fault} VALIDATION_FAILED for a body that is not an object.
 */
export function reading(route: Route): (request: Request, strict: boolean) => Call {
  const parts = hasParts(route) ? new Parts(route.operation) : undefined;
  const choose = (call: Call, { fields, misplaced: unknown }: Chosen): Call => ({
    ...call,
    ...(parts && fields && { part: parts.run(fields) }),
    misplaced: [...call.misplaced, ...unknown],
  });
  switch (route.takes) {
    case 'input': {
      const sort = sorting(route.operation);
      return (request, strict) => {
        const body = bodyObject(request.body);
        const sorted = sort(body);
        const text = queryString(request);
        const given = withParams({ input: sorted.input }, request.params);
        if (sorted.unknown.length === 0 && text === '') {
          return { given, misplaced: nothing, ignored: nothing };
        }
        const url = parameters(text);
        const { [choosing]: _, ...others } = url;
        const call = { given, ...beside(sorted, body, others, strict) };
        return parts ? choose(call, parts.read(url)) : call;
      };
    }
    case 'batch':
      return readingBatch(route);
    case 'search':
      return (request) => {
        const { url, given, misplaced } = searchOf(request, [choosing]);
        const call = { given: withParams(given, request.params), misplaced, ignored: nothing };
        return parts && url.fields !== undefined ? choose(call, parts.read(url)) : call;
      };
    default: {
      const named = argumentsBeside(route).map(({ name }) => name);
      return (request) => {
        const call = { given: request.params, misplaced: nothing, ignored: nothing };
        const text = parts || named.length > 0 ? queryString(request) : '';
        if (text === '') return call;
        const url = withoutEmpty(parameters(text));
        if (named.length > 0) return { ...call, ...argumentsIn(url, request.params, named) };
        return parts ? choose(call, parts.read(url)) : call;
      };
    }
  }
}

/** Adds the parameters of the path; they are assigned, not spread, as `src/README.md` says. */
const withParams = (given: Arguments, params: Params): Arguments => Object.assign(given, params);

/**
 * The arguments in a query string. An unknown parameter is refused: it may have been meant as one of them,
 * and what the call does cannot be undone.
 */
function argumentsIn(
  url: JsonObject,
  params: Params,
  named: readonly string[],
): Pick<Call, 'given' | 'misplaced'> {
  const isNamed = ([name]: readonly [string, unknown]) => named.includes(name);
  const sent = Object.entries(url);
  return {
    given: { ...Object.fromEntries(sent.filter(isNamed)), ...params },
    misplaced: sent
      .filter((one) => !isNamed(one))
      .slice(0, maxTold)
      .map(([name]) => ({ name, message: `is not a parameter${didYouMean(name, named)}` })),
  };
}
