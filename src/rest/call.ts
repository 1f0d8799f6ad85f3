/** Calling what routes call, from within the process. */
import type { Context } from '../context/context.ts';
import { stringifyJson } from '../json/json.ts';
import { type Arguments, type Run, runner } from './gateway.ts';
import { routes } from './routes.ts';

const runs = new Map<string, Run>();

/**
 * @param operation of a row of the route table
 * @param given parts of the path and the body
 * @returns the body of the answer, as JSON
 * @throws what the use case throws
 */
export async function call(context: Context, operation: string, given: Arguments): Promise<string> {
  const { accountId } = context.viewer;
  const run = runs.get(operation) ?? runner(rowOf(operation));
  runs.set(operation, run);
  const { body } = await run(context, { account_id: accountId, ...given });
  return stringifyJson(body);
}

function rowOf(operation: string) {
  const row = routes.find((one) => one.operation === operation);
  if (!row) throw new Error(`no route calls ${operation}`);
  return row;
}
