/** The route table as paths. */
import { aliases, exportRoutes, type Route, routes } from '../routes.ts';
import { Operation } from './operation.ts';
import { type Components, oneLine, type Schema } from './schema.ts';

/** The path items of a document, and the tags that group its operations. */
export interface Paths {
  readonly paths: Readonly<Record<string, Schema>>;
  readonly tags: readonly Schema[];
}

/**
 * @param prefix of the paths in the table
 * @param components takes the schemas that several operations share
 */
export function pathsOf(prefix: string, components: Components): Paths {
  const paths: Record<string, Record<string, Schema>> = {};
  const tags = new Map<string, string>();
  const ids = new Set<string>();
  for (const row of routes) {
    const described = new Operation(row, components);
    const tag = tagOf(row);
    for (const route of [row, ...aliases(row)]) {
      const path = (prefix + route.path).replaceAll(/:(\w+)/g, '{$1}');
      const item = (paths[path] ??= {});
      item[route.method.toLowerCase()] = {
        operationId: unusedId(route, row, ids),
        tags: [tag],
        ...described.as(route, path),
      };
    }
    const exported = exportRoutes.find(({ operation }) => operation === row.operation);
    if (exported) {
      const path = (prefix + exported.path).replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = {
        get: {
          operationId: `export_${row.operation}`,
          tags: [tag],
          ...described.exported(exported, path),
        },
      };
    }
    if (!tags.get(tag)) tags.set(tag, described.recordDescription);
  }
  return {
    paths,
    tags: [...tags].map(([name, description]) => ({ name, description: oneLine(description) })),
  };
}

/** The resource; for the account itself and for `me` it is the account. */
const tagOf = ({ path }: Route): string =>
  path.split('/').find((part) => part !== '' && part !== 'me') ?? 'account';

/** The operation's name for its row; aliases and other rows get names that differ. */
function unusedId(route: Route, row: Route, ids: Set<string>): string {
  const plain =
    route === row ? route.operation : `${route.method.toLowerCase()}_${route.operation}`;
  const id = ids.has(plain) ? `${plain}_of_${tagOf(route)}` : plain;
  if (ids.has(id)) throw new Error(`two operations are named ${id}`);
  ids.add(id);
  return id;
}
