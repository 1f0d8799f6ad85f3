import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import type { Fragments } from '../fields.ts';

/**
 * Adds up what the fields of selections come to, those of a fragment wherever it is spread. A
 * selection is read once for each thing that it is asked of, however often its fragment is spread.
 */
export function summing<Of, Sum>(
  fragments: Fragments,
  nothing: Sum,
  plus: (one: Sum, other: Sum) => Sum,
  field: (node: FieldNode, of: Of) => Sum,
): (set: SelectionSetNode | undefined, of: Of) => Sum {
  const known = new Map<SelectionSetNode, Map<Of, Sum>>();
  const sumOf = (set: SelectionSetNode | undefined, of: Of): Sum => {
    if (!set) return nothing;
    const sums = known.get(set) ?? new Map<Of, Sum>();
    known.set(set, sums);
    const told = sums.get(of);
    if (told !== undefined) return told;
    // A fragment within itself is refused by another rule; here it only must not go on for ever.
    sums.set(of, nothing);
    let sum = nothing;
    for (const node of set.selections) {
      if (node.kind === Kind.FIELD) sum = plus(sum, field(node, of));
      else {
        const opened = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
        sum = plus(sum, sumOf(opened?.selectionSet, of));
      }
    }
    sums.set(of, sum);
    return sum;
  };
  return sumOf;
}
