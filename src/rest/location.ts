import { recordOf } from './operations.ts';
import { type Route, routes } from './routes.ts';

/**
 * Where a record that a route creates is read, by the route table.
 * @returns the path beneath the account, with the id as `:id`; undefined where no route reads such a record
 */
export function locationOf({ operation }: Pick<Route, 'operation'>): string | undefined {
  const record = recordOf(operation);
  return routes.find(
    ({ method, path, operation: reads }) =>
      method === 'GET' && path.endsWith('/:id') && recordOf(reads) === record,
  )?.path;
}
