/** Where records of the system are read: from its API, or from files of the JSON that this answers. */

import { isJsonObject, type JsonObject } from '../../../json/json.ts';
import { asId } from '../../../lib/integer.ts';

/** Records that its searches list. */
export const listedKinds = ['users', 'contacts', 'products', 'deals'] as const;
export type ListedKind = (typeof listedKinds)[number];

/** A record as it came: any field may be missing or be something else. */
export type Foreign = JsonObject & { readonly id: number };

export interface Source {
  /** All records of a kind, each once, whether they stood in a page or in an answer of their own. */
  pages(kind: ListedKind): AsyncIterable<readonly Foreign[]>;
  /**
   * One record with all that comes with it: a contact's events, a deal's stage, assignees and products.
   * @returns undefined where it no longer exists
   */
  one(kind: ListedKind, id: number): Promise<Foreign | undefined>;
  /** All pipelines with their stages; undefined where the source does not list them. */
  pipelines(): Promise<readonly Foreign[] | undefined>;
}

/** The records of a list; anything else in it is left out. */
export const foreigners = (values: unknown): readonly Foreign[] =>
  Array.isArray(values) ? values.flatMap((value) => foreigner(value) ?? []) : [];

/** A value as a record, if it is one: an object with an id. */
export function foreigner(value: unknown): Foreign | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = asId(value.id);
  return id === undefined ? undefined : { ...value, id };
}

/** The list in an answer, which is a page, or the list itself. */
export function listIn(answer: unknown): unknown {
  return isJsonObject(answer) ? answer.data : answer;
}
