/** Calling what routes call, from within the process. */
import type { Context } from '../context/context.ts';
import type { Variables } from '../graphql/operation.ts';
import { isJsonObject, type JsonObject, stringifyJson } from '../json/json.ts';
import { type RouteResult, type RunRoute, runner } from './gateway.ts';
import { requestReader } from './read.ts';
import type { RouteCall } from './request.ts';
import { type Route, routes } from './routes.ts';

const runs = new Map<string, RunRoute>();

/**
 * @param operation of a row of the route table
 * @param args parts of the path and the body
 * @returns the body of the answer, as JSON
 * @throws what the use case throws
 */
export async function call(context: Context, operation: string, args: Variables): Promise<string> {
  const { accountId } = context.viewer;
  const run = runs.get(operation) ?? runner(rowOf(operation));
  runs.set(operation, run);
  const { body } = await run(context, { account_id: accountId, ...args });
  return stringifyJson(body);
}

function rowOf(operation: string) {
  const row = routes.find((one) => one.operation === operation);
  if (!row) throw new Error(`no route calls ${operation}`);
  return row;
}

/** A request to a route that is made within the process. */
export interface InnerRequest {
  /** Parts of the path, beside the account. */
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  /** Behind the question mark. */
  readonly query?: string;
}

/** Answers a request as its route answers a client's, which it also tells what does not belong there. */
export type CallRoute = (context: Context, request: InnerRequest) => Promise<RouteResult>;

/** @returns what calls a route, with names that are no fields refused rather than ignored */
export function callerOf(route: Route): CallRoute {
  const [run, read] = [runner(route), requestReader(route)];
  return (context, { params = {}, body, query = '' }) => {
    const call = read(
      {
        method: route.method,
        url: query === '' ? '' : `?${query}`,
        headers: {},
        params: { ...params, account_id: String(context.viewer.accountId) },
        body,
      },
      true,
    );
    return run(contextOfCall(context, call, false), call.args, call.part);
  };
}

/** The context of a call. Clients may select any fields, so statements for a selection are not prepared. */
export function contextOfCall(
  context: Context,
  { args, misplaced, misplacedIn, part }: RouteCall,
  isPatch: boolean,
): Context {
  if (misplaced.length === 0 && !misplacedIn && !part && !isPatch) return context;
  const { input } = args;
  const patch = isPatch && isJsonObject(input) && { patch: input };
  return { ...context, misplaced, misplacedIn, ownSelection: part === undefined, ...patch };
}
