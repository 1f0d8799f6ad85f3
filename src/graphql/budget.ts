/**
 * The records that one request of a client may resolve. What the request tells is judged before
 * anything runs; this is for what only the database knows: how long a list without a limit is.
 */
import type { OperationDefinitionNode } from 'graphql';
import type { Context } from '../context.ts';
import type { Relation, Selection } from '../db/shape.ts';
import { Fault } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { excess, limits } from './limits.ts';

const clients = new WeakSet<OperationDefinitionNode>();

/** Marks an operation as a client's; those of the service itself have no bounds. */
export const markAsClients = (operation: OperationDefinitionNode): void =>
  void clients.add(operation);

export const isClients = (operation: OperationDefinitionNode): boolean => clients.has(operation);

/** How many records a list without a limit may have, and what it is called. */
const caps = new WeakMap<Relation, { readonly most: number; readonly list: string }>();

/**
 * Caps a list that has no limit of its own, so that with all beneath it it stays within the budget.
 * @returns it with a limit of one more than it may have, to notice when it has more
 */
export function capped(relation: Relation, list: string): Relation {
  const most = Math.max(1, Math.floor(limits.records / size(relation.selection)));
  const limited = { ...relation, limit: most + 1 };
  caps.set(limited, { most, list });
  return limited;
}

/** Records that one record brings along, itself among them. */
const size = ({ relations }: Selection): number =>
  relations.reduce((sum, { limit = 1, selection }) => sum + limit * size(selection), 1);

/** What a root field fetches, and under which of its fields. */
interface Fetched {
  readonly path: readonly string[];
  readonly selection: Selection;
}

const fetched = new WeakMap<object, readonly Fetched[]>();

/** Notes what a root field is about to fetch, by the info that its resolver was given. */
export function willFetch(info: object, what: Fetched): void {
  fetched.set(info, [...(fetched.get(info) ?? []), what]);
}

/**
 * Counts the records that lie beneath what a root field resolved to.
 * @throws {Fault} BAD_USER_INPUT when a list of them is too long, or the request has resolved too
 *   many
 */
export function spend({ budget }: Context, value: unknown, info: object): void {
  for (const { path, selection } of fetched.get(info) ?? []) {
    const records = path.reduce((at, step) => under(at, step), under([{ value }], 'value'));
    budget.records += beneath(records, selection);
  }
  if (budget.records > limits.records) {
    throw new Fault('BAD_USER_INPUT', [
      excess(`resolved more than ${limits.records} records`, limits.records),
    ]);
  }
}

function beneath(records: readonly JsonObject[], { relations }: Selection): number {
  let count = 0;
  for (const relation of relations) {
    const found = under(records, relation.key);
    const cap = caps.get(relation);
    if (cap && found.length > cap.most) {
      throw new Fault('BAD_USER_INPUT', [
        `${cap.list} has more than ${cap.most} records: give it a limit, and an offset`,
      ]);
    }
    count += found.length + beneath(found, relation.selection);
  }
  return count;
}

/** The objects that some have under a key, alone or in lists. */
function under(objects: readonly JsonObject[], key: string): readonly JsonObject[] {
  const found: JsonObject[] = [];
  for (const object of objects) {
    const value = object[key];
    if (Array.isArray(value)) {
      for (const one of value) if (isJsonObject(one)) found.push(one);
    } else if (isJsonObject(value)) found.push(value);
  }
  return found;
}
