import { coded } from '../errors/codes.ts';
import type { UnknownInput } from '../errors/errors.ts';
import type { JsonObject } from '../json/json.ts';
import { misplaced, type SortedBody, wrapperOf } from './body.ts';

/** Parts of a request that do not belong to the write: those that are refused, and names that are ignored. */
export interface UnknownNames {
  readonly misplaced: readonly UnknownInput[];
  readonly ignored: readonly string[];
}

const nothing: readonly never[] = [];

/** Finds names that are not fields of the record, in the body and in the query string. */
export function classifyUnknown(
  sorted: SortedBody,
  body: JsonObject,
  url: JsonObject,
  strict: boolean,
): UnknownNames {
  const wrapper = wrapperOf(body, sorted);
  if (wrapper !== undefined) {
    const message = coded(
      'unknown_field',
      'is not a field: the fields stand in the body itself, not in an object within it',
    );
    return { misplaced: [{ name: wrapper, message }], ignored: nothing };
  }
  const outside = Object.keys(url).map((name) => ({
    name,
    message: coded('misplaced', 'belongs in the body, as JSON'),
  }));
  if (strict)
    return { misplaced: [...sorted.unknown.map(misplaced), ...outside], ignored: nothing };
  const isEmpty = Object.keys(body).length === 0;
  const ignored = [...sorted.unknown, ...(isEmpty ? nothing : outside)].map(({ name }) => name);
  return { misplaced: isEmpty ? outside : nothing, ignored };
}
