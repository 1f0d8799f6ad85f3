import { type DocumentNode, visit } from 'graphql';

/** The largest number of names under which a document selects the same field of records. */
export function repeatsOf(document: DocumentNode): number {
  const names = new Map<string, Set<string>>();
  visit(document, {
    Field: ({ name, alias, selectionSet }) => {
      // Relations are fetched once for each name, so nothing is repeated.
      if (selectionSet) return;
      const own = names.get(name.value) ?? new Set();
      names.set(name.value, own.add((alias ?? name).value));
    },
  });
  return Math.max(1, ...[...names.values()].map(({ size }) => size));
}
