/**
 * The records that one request of a client may resolve. What the request tells is judged before
 * anything runs; this is for what only the database knows: how long a list without a limit is.
 */
import type { FieldNode, GraphQLResolveInfo, OperationDefinitionNode } from 'graphql';
import type { Context } from '../context.ts';
import type { Selection } from '../db/shape.ts';
import { Fault } from '../errors.ts';
import { excess, limits } from './limits.ts';

const clients = new WeakSet<OperationDefinitionNode>();

/** Marks an operation as a client's; those of the service itself have no bounds. */
export const markAsClients = (operation: OperationDefinitionNode): void =>
  void clients.add(operation);

export const isClients = (operation: OperationDefinitionNode): boolean => clients.has(operation);

/** How many records a list without a limit may have. */
const caps = new WeakMap<FieldNode, number>();

/**
 * Caps a list that has no limit of its own, so that with all beneath it it stays within the budget.
 * @returns the limit to fetch it with: one more than it may have, to notice when it has more
 */
export function capList(node: FieldNode, selection: Selection): number {
  const cap = Math.max(1, Math.floor(limits.records / size(selection)));
  caps.set(node, Math.min(cap, caps.get(node) ?? cap));
  return cap + 1;
}

/** Records that one record brings along, itself among them. */
const size = ({ relations }: Selection): number =>
  relations.reduce((sum, { limit = 1, selection }) => sum + limit * size(selection), 1);

const resolved = new WeakMap<Context, number>();

/**
 * Counts what a relation resolved to.
 * @throws {Fault} BAD_USER_INPUT when its list is too long, or the request has resolved too much
 */
export function spend(context: Context, value: unknown, info: GraphQLResolveInfo): void {
  const { operation, fieldNodes, path, parentType, fieldName } = info;
  if (value === null || value === undefined || !isClients(operation)) return;
  const count = Array.isArray(value) ? value.length : 1;
  const cap = fieldNodes[0] && caps.get(fieldNodes[0]);
  if (cap !== undefined && count > cap && !isInList(path)) {
    throw new Fault('BAD_USER_INPUT', [
      `${parentType.name}.${fieldName} has more than ${cap} records: give it a limit, and an offset`,
    ]);
  }
  const total = (resolved.get(context) ?? 0) + count;
  resolved.set(context, total);
  if (total > limits.records) {
    throw new Fault('BAD_USER_INPUT', [
      excess(`resolved more than ${limits.records} records`, limits.records),
    ]);
  }
}

function isInList(path: GraphQLResolveInfo['path'] | undefined): boolean {
  for (let at = path; at; at = at.prev) if (typeof at.key === 'number') return true;
  return false;
}
