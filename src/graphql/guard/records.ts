/**
 * Counting the records that a request resolves, for what cannot be checked before it runs because
 * only the database knows: the length of lists without a limit.
 */
import type { Relation, Selection } from '../../db/shape.ts';
import { Fault } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { excess, limits } from './limits.ts';

/** What a root field fetches, and the fields that lead to it. */
export interface Fetched {
  readonly path: readonly string[];
  readonly selection: Selection;
}

/** A list that has no limit of its own. */
interface Capped extends Relation {
  /** How many records it may have. */
  readonly most: number;
  /** Its name, for messages. */
  readonly list: string;
}

const isCapped = (relation: Relation): relation is Capped => 'most' in relation;

/**
 * Caps a list without a limit, so that with everything beneath its records stay within the limit.
 * @returns the relation, limited to one record more than it may have so that an excess shows
 */
export function capped(relation: Relation, list: string): Capped {
  const most = Math.max(1, Math.floor(limits.records / size(relation.selection)));
  return { ...relation, limit: most + 1, most, list };
}

/** How many records come with one, itself included. */
const size = ({ relations }: Selection): number =>
  relations.reduce((sum, { limit = 1, selection }) => sum + limit * size(selection), 1);

/**
 * Counts the records beneath those that a root field resolved to.
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

/** All objects under a key of others, whether alone or in lists. */
function under(objects: readonly JsonObject[], key: string): readonly JsonObject[] {
  const found: JsonObject[] = [];
  for (const object of objects) {
    const value = object[key];
    for (const one of Array.isArray(value) ? value : [value])
      if (isJsonObject(one)) found.push(one);
  }
  return found;
}
