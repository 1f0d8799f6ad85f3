/**
 * The records that one request of a client may resolve. What the request tells is judged before
 * anything runs; this is for what only the database knows: how long a list without a limit is.
 */
import type { Relation, Selection } from '../../db/shape.ts';
import { Fault } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { excess, limits } from './limits.ts';

/** What a root field fetches, and under which of its fields. */
export interface Fetched {
  readonly path: readonly string[];
  readonly selection: Selection;
}

/** A list that has no limit of its own. */
interface Capped extends Relation {
  /** How many records it may have. */
  readonly most: number;
  /** What it is called. */
  readonly list: string;
}

const isCapped = (relation: Relation): relation is Capped => 'most' in relation;

/**
 * Caps a list that has no limit of its own, so that with all beneath it it stays within the budget.
 * @returns it with a limit of one more than it may have, to notice when it has more
 */
export function capped(relation: Relation, list: string): Capped {
  const most = Math.max(1, Math.floor(limits.records / size(relation.selection)));
  return { ...relation, limit: most + 1, most, list };
}

/** Records that one record brings along, itself among them. */
const size = ({ relations }: Selection): number =>
  relations.reduce((sum, { limit = 1, selection }) => sum + limit * size(selection), 1);

/**
 * Counts the records that lie beneath what a root field resolved to.
 * @throws {Fault} BAD_USER_INPUT when a list of them is too long
 */
export function recordsIn(value: unknown, { path, selection }: Fetched): number {
  return beneath(path.reduce(under, under([{ value }], 'value')), selection);
}

export const tooManyRecords = (): Fault =>
  new Fault('BAD_USER_INPUT', [
    excess(`resolved more than ${limits.records} records`, limits.records),
  ]);

function beneath(records: readonly JsonObject[], { relations }: Selection): number {
  let count = 0;
  for (const relation of relations) {
    const found = under(records, relation.key);
    if (isCapped(relation) && found.length > relation.most) {
      throw new Fault('BAD_USER_INPUT', [
        `${relation.list} has more than ${relation.most} records: give it a limit, and an offset`,
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
    for (const one of Array.isArray(value) ? value : [value])
      if (isJsonObject(one)) found.push(one);
  }
  return found;
}
