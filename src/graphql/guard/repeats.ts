import { type DocumentNode, visit } from 'graphql';

/** Under how many names a document selects one field of records, at most. */
export function repeatsOf(document: DocumentNode): number {
  const names = new Map<string, Set<string>>();
  visit(document, {
    Field: ({ name, alias, selectionSet }) => {
      // What lies beneath another record is read for each name anew.
      if (selectionSet) return;
      const own = names.get(name.value) ?? new Set();
      names.set(name.value, own.add((alias ?? name).value));
    },
  });
  return Math.max(1, ...[...names.values()].map(({ size }) => size));
}
