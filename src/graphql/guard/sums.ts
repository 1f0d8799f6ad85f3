import { type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import type { Fragments } from '../selection/fields.ts';

/**
 * Sums up a figure over the fields of a selection, counting a fragment's at every spread. Each
 * selection is computed once for each `of`, however often its fragment is spread.
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
    const computed = sums.get(of);
    if (computed !== undefined) return computed;
    // Another rule refuses a fragment that spreads itself; here it must only not recurse for ever.
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
