/** What tools read and write: the resources of the route table, with what the schema says of their records. */
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { type Action, isAllowed } from '../auth/policy.ts';
import type { Viewer } from '../auth/viewer.ts';
import { schema } from '../graphql/schema.ts';
import { searchedBy } from '../graphql/searchables.ts';
import { sourcesOf } from '../graphql/selection/relations.ts';
import { memoize } from '../lib/memoize.ts';
import { recordOf } from '../rest/operations.ts';
import { type Route, routes } from '../rest/routes.ts';

/** Whoever can write these, or read what they hold, could do more than the agent may. */
const withheld: readonly string[] = ['tokens', 'webhooks', 'deliveries', 'changes', 'me'];
/** Users are read alone: who may change them may let people in. */
const onlyRead: readonly string[] = ['users'];

export const operations = ['create', 'update', 'upsert'] as const;
export type Operation = (typeof operations)[number];

export interface Resource {
  /** As in paths: `contacts`. */
  readonly name: string;
  /** As changes and the trail name one: `contact`. */
  readonly one: string;
  readonly type: GraphQLObjectType;
  readonly get: Route | undefined;
  readonly search: Route | undefined;
  readonly batch: Route | undefined;
  readonly create: Route | undefined;
  readonly update: Route | undefined;
  readonly remove: Route | undefined;
  readonly merge: Route | undefined;
}

const named = (path: string): string => path.split('/')[1] ?? '';

/** @returns undefined for a part of a path that stands for no kind of records */
function resourceOf(name: string): Resource | undefined {
  const find = (method: string, path: string) =>
    routes.find((route) => route.method === method && route.path === path);
  const search = find('POST', `/${name}/search`);
  const create = find('POST', `/${name}`);
  const typeName = search
    ? searchedBy(search.operation).type
    : create && recordOf(create.operation);
  const type = schema.getType(typeName ?? '');
  const action = (search ?? create)?.action;
  if (!isObjectType(type) || action === undefined) return undefined;
  const writes = !onlyRead.includes(name);
  return {
    name,
    one: action.split('.')[0] ?? name,
    type,
    get: find('GET', `/${name}/:id`),
    search,
    batch: writes ? find('POST', `/${name}/batch`) : undefined,
    create: writes ? create : undefined,
    update: writes ? find('PUT', `/${name}/:id`) : undefined,
    remove: writes ? find('DELETE', `/${name}/:id`) : undefined,
    merge: writes ? find('POST', `/${name}/:id/merge`) : undefined,
  };
}

export const resources: readonly Resource[] = [...new Set(routes.map(({ path }) => named(path)))]
  .filter((name) => name !== '' && !withheld.includes(name))
  .flatMap((name) => resourceOf(name) ?? []);

export const resourceNamed = (name: unknown): Resource | undefined =>
  resources.find((resource) => resource.name === name);

const isOpen = (viewer: Viewer, route: Route | undefined): boolean =>
  route !== undefined && isAllowed(viewer, route.action);

/** What of a resource may be done. */
type Deed = 'read' | 'write' | 'remove';

/** The operations that records of a resource have, for a viewer. */
export function operationsOf(
  viewer: Viewer,
  { batch, create, update }: Resource,
): readonly Operation[] {
  if (batch) {
    const known = Object.keys(batch.records ?? {});
    return isOpen(viewer, batch) ? operations.filter((one) => known.includes(one)) : [];
  }
  return [
    ...(isOpen(viewer, create) ? (['create'] as const) : []),
    ...(isOpen(viewer, update) ? (['update'] as const) : []),
  ];
}

/** Resources of which a viewer may do something. */
export function openTo(viewer: Viewer, deed: Deed): readonly Resource[] {
  return resources.filter((resource) => {
    if (deed === 'read') return isOpen(viewer, resource.search);
    if (deed === 'remove') return isOpen(viewer, resource.remove);
    return operationsOf(viewer, resource).length > 0;
  });
}

/** Whether a viewer may read records of a type. */
export function mayRead(viewer: Viewer, { name }: Pick<GraphQLObjectType, 'name'>): boolean {
  const action = readActions.get(name);
  return action === undefined || isAllowed(viewer, action);
}

const readActions: ReadonlyMap<string, Action> = new Map(
  routes.flatMap(({ operation, action, body }) =>
    body === 'search' ? [[searchedBy(operation).type, action] as const] : [],
  ),
);

const isFree = ({ args }: Pick<GraphQLField<unknown, unknown>, 'args'>): boolean =>
  !args.some(isRequiredArgument);

/** The fields of a type that hold a value, and not the record's account, which is always the same. */
const values = memoize((type: GraphQLObjectType): readonly string[] =>
  Object.values(type.getFields())
    .filter((field) => isFree(field) && isLeafType(getNamedType(field.type)))
    .map(({ name }) => name)
    .filter((name) => name !== 'account_id' && !name.endsWith('_count')),
);

/** Those of them that a viewer may read who may read records of the type. */
export const valuesOf = (viewer: Viewer, type: GraphQLObjectType): readonly string[] =>
  values(type).filter((field) =>
    sourcesOf(type.name, field).every((name) => mayRead(viewer, { name })),
  );

/** A record, or a list of records, within a record. */
export interface NestedField {
  readonly name: string;
  readonly type: GraphQLObjectType;
  readonly isList: boolean;
  /** The field that counts them. */
  readonly count: string | undefined;
}

/** What records of a type hold of others. */
export const nestedIn = memoize((type: GraphQLObjectType): readonly NestedField[] => {
  const fields = type.getFields();
  return Object.values(fields).flatMap((field): NestedField[] => {
    const inner = getNamedType(field.type);
    if (!isObjectType(inner) || !isFree(field)) return [];
    const count = `${field.name}_count`;
    return [
      {
        name: field.name,
        type: inner,
        isList: isListType(getNullableType(field.type)),
        count: fields[count] ? count : undefined,
      },
    ];
  });
});

/** The field by which people call a record. */
export const labelOf = (type: GraphQLObjectType): string | undefined =>
  ['full_name', 'name', 'title', 'product_name'].find((name) => type.getFields()[name]);
