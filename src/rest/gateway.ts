/**
 * From a request to a stored operation and back, through sofa-api. Its routes say which operation
 * a route is, and its handlers turn what a request carries into variables; the matching of paths,
 * the document, the status and the writing of the answer are ours, because sofa's own are slower
 * and know one status a route.
 */
import type { ExecutionResult } from 'graphql';
import { createSofa, createSofaRouter } from 'sofa-api';
import type { Context } from '../context.ts';
import { Fault } from '../errors.ts';
import { causeOf, execute } from '../graphql/execute.ts';
import { schema } from '../graphql/schema.ts';
import { operations } from './operations.ts';
import { type Answer, type Payload, type Route, routes } from './routes.ts';

/** What a route is called with: path parameters and `input`, or the parts of a search. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What travels through sofa's handler beside the request. */
class Call {
  readonly context: Context;
  readonly operation: string;
  result: ExecutionResult | undefined;

  constructor(context: Context, operation: string) {
    this.context = context;
    this.operation = operation;
  }
}

/** Runs a route for a viewer. */
export type Run = (context: Context, given: Arguments) => Promise<Answer>;

const rootType = (operation: string): 'Query' | 'Mutation' =>
  schema.getQueryType()?.getFields()[operation] ? 'Query' : 'Mutation';

const sofa = createSofa({
  basePath: '',
  schema,
  routes: Object.fromEntries(
    routes.map((route) => [
      `${rootType(route.operation)}.${route.operation}`,
      { method: route.method, path: route.path },
    ]),
  ),
  execute: async ({ contextValue, variableValues }) => {
    if (!(contextValue instanceof Call)) throw new Error('an operation was run without a call');
    const { operation, context } = contextValue;
    const document = operations.get(operation);
    if (!document) throw new Error(`no operation is stored for ${operation}`);
    contextValue.result = await execute(document, context, variableValues ?? {});
    // The result is read from the call; sofa is given nothing to write.
    return { data: { [operation]: null } };
  },
});

const handlers = new Map<string, CallableFunction>();
for (const { method, path, handler } of createSofaRouter(sofa).__routes) {
  if (typeof handler === 'function') handlers.set(`${method} ${path}`, handler);
}

/**
 * @returns what runs a route
 * @throws {Error} when the schema has no such operation
 */
export function runner(route: Route): Run {
  const handler = handlers.get(`${route.method} ${route.path}`);
  if (!handler) throw new Error(`sofa has no route ${route.method} ${route.path}`);
  return async (context, given) => {
    const call = new Call(context, route.operation);
    // Of a request a handler reads no more than these three.
    await Reflect.apply(handler, undefined, [{ url: '', params: given, body: null }, call]);
    return route.answer(payload(call));
  };
}

function payload({ result, operation }: Call): Payload {
  const error = result?.errors?.[0];
  if (error) {
    const cause = causeOf(error);
    // A stored operation is valid, so only its variables can be at fault.
    throw cause === error ? new Fault('VALIDATION_FAILED', [error.message]) : cause;
  }
  const value = result?.data?.[operation];
  if (typeof value === 'object' && value !== null) return { ...value };
  throw new Error(`${operation} returned nothing`);
}
