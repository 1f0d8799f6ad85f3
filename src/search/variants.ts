import type { ColumnKind } from '../db/sql/shape.ts';
import type { List, Predicate } from './predicate.ts';

/** A plain predicate, or its form with `_any` or `_all`. */
export interface Variant extends Pick<Predicate, 'name' | 'meaning' | 'takes' | 'on'> {
  readonly list: List | undefined;
}

/** @param list how the plain predicate treats a list, if it takes one */
export function variants(
  name: string,
  { meaning, on, list }: { meaning: string; on: readonly ColumnKind[]; list?: List },
): readonly Variant[] {
  const listed = { takes: 'list', on } as const;
  return [
    { name, meaning, list, ...(list ? listed : { takes: 'value', on }) },
    {
      name: `${name}_any`,
      meaning: `${meaning}, for at least one of the values`,
      list: 'ANY',
      ...listed,
    },
    { name: `${name}_all`, meaning: `${meaning}, for each of the values`, list: 'ALL', ...listed },
  ];
}
