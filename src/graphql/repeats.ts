import { type DocumentNode, visit } from 'graphql';

const known = new WeakMap<DocumentNode, number>();

/** Under how many names a document selects one field of records, at most. */
export function repeatsOf(document: DocumentNode): number {
  const told = known.get(document);
  if (told !== undefined) return told;
  const names = new Map<string, Set<string>>();
  let most = 1;
  visit(document, {
    Field: ({ name, alias, selectionSet }) => {
      // What lies beneath another record is read for each name anew.
      if (selectionSet) return;
      const own = names.get(name.value) ?? new Set();
      names.set(name.value, own.add((alias ?? name).value));
      most = Math.max(most, own.size);
    },
  });
  known.set(document, most);
  return most;
}
