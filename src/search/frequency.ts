/** Which texts many records of an account have, as far as this process has found them. */
import { LRUCache } from 'lru-cache';
import { soleText } from './plan.ts';
import type { SearchRequest } from './statement.ts';

/**
 * Records from which on a text is planned for. Fewer are looked up in the index within milliseconds, and
 * of more than that PostgreSQL may rather read the records of the whole account.
 */
const many = 2_000;

/** UTF-16 units of a search that is remembered; longer ones are planned for each time. */
const longest = 200;

/** Searches that found many. One that is forgotten is looked up in the index once more. */
const frequent = new LRUCache<string, true>({ max: 10_000 });

/** How often records of an account have the one text that a search looks for. */
export interface Frequency {
  readonly isRare: boolean;
  /** @param count how many records were found; none where they were too many to be found in time */
  note(count: number | undefined): void;
}

/** @returns undefined for a search that does not look for one text alone */
export function frequencyOf({ shape, accountId, search }: SearchRequest): Frequency | undefined {
  const condition = soleText(search.where);
  if (!condition) return undefined;
  const { predicate, attributes, values } = condition;
  const key = JSON.stringify([accountId, shape, attributes[0]?.column, predicate.name, values]);
  const isRemembered = key.length <= longest;
  return {
    isRare: isRemembered && !frequent.has(key),
    note: (count = many) => {
      if (count < many) frequent.delete(key);
      else if (isRemembered) frequent.set(key, true);
    },
  };
}
