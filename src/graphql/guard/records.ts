/**
 * Counting the records that a request resolves, for what cannot be checked before it runs because
 * only the database knows: the length of lists without a limit.
 */
import type { Relation, Selection } from '../../db/sql/shape.ts';
import { Fault } from '../../errors/errors.ts';
import { isJsonObject, type JsonObject, JsonText } from '../../json/json.ts';
import { parseAnyJson } from '../../json/large_json.ts';
import { excess, limits } from './limits.ts';

/** What a root field fetches, and the fields that lead to it. */
export interface RootFetch {
  readonly path: readonly string[];
  readonly selection: Selection;
}

/** A list that has no limit of its own. */
interface LimitedList extends Relation {
  /** How many records it may have. */
  readonly max: number;
  /** Its name, for messages. */
  readonly list: string;
}

const isCapped = (relation: Relation): relation is LimitedList => 'max' in relation;

/**
 * Caps a list without a limit, so that with everything beneath its records stay within the limit.
 * @returns the relation, limited to one record more than it may have so that an excess shows
 */
export function capped(relation: Relation, list: string): LimitedList {
  const max = Math.max(1, Math.floor(limits.records / size(relation.selection)));
  return { ...relation, limit: max + 1, max, list };
}

/** How many records come with one, itself included. */
const size = ({ relations }: Selection): number =>
  relations.reduce((sum, { limit = 1, selection }) => sum + limit * size(selection), 1);

/**
 * Counts the records beneath those that a root field resolved to. Where these are texts with no more objects
 * than records are allowed, so that all is well, the number of objects will do.
 * @throws {Fault} BAD_USER_INPUT when a list of records is too long
 */
export async function recordsIn(value: unknown, fetched: readonly RootFetch[]): Promise<number> {
  const selections = fetched.map(({ path, selection }) => ({
    values: path.reduce(under, [value].flat()),
    selection,
  }));
  if (!selections.some(({ selection }) => hasCapped(selection))) {
    const objects = objectsIn(selections.flatMap(({ values }) => values));
    if (objects <= limits.records) return objects;
  }
  let count = 0;
  for (const { values, selection } of selections) {
    const records: unknown[] = [];
    for (const one of values) {
      records.push(one instanceof JsonText ? await parseAnyJson(one.text) : one);
    }
    count += beneath(records.flat().filter(isJsonObject), selection);
  }
  return count;
}

const hasCapped = ({ relations }: Selection): boolean =>
  relations.some((relation) => isCapped(relation) || hasCapped(relation.selection));

/** How many objects texts have at most, counted until they are too many; infinitely many of anything else. */
function objectsIn(values: readonly unknown[]): number {
  let count = 0;
  for (const value of values) {
    if (!(value instanceof JsonText)) return Number.POSITIVE_INFINITY;
    const { text } = value;
    for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at + 1)) {
      count += 1;
      if (count > limits.records) return count;
    }
  }
  return count;
}

export const tooManyRecords = (): Fault =>
  new Fault('BAD_USER_INPUT', [
    excess(`resolved more than ${limits.records} records`, limits.records),
  ]);

function beneath(records: readonly JsonObject[], { relations, shown }: Selection): number {
  let count = 0;
  for (const relation of relations) {
    // An answer has the client's own name for it.
    const { as = relation.key } = shown?.find((one) => one.relation === relation) ?? {};
    const children = under(records, as).filter(isJsonObject);
    if (isCapped(relation) && children.length > relation.max) {
      throw new Fault('BAD_USER_INPUT', [
        `${relation.list} has more than ${relation.max} records: give it a limit, and an offset`,
      ]);
    }
    count += children.length + beneath(children, relation.selection);
  }
  return count;
}

/** All values under a key of objects, whether alone or in lists. */
function under(values: readonly unknown[], key: string): readonly unknown[] {
  const inners: unknown[] = [];
  for (const value of values) {
    if (!isJsonObject(value)) continue;
    const inner = value[key];
    for (const one of Array.isArray(inner) ? inner : [inner]) inners.push(one);
  }
  return inners;
}
