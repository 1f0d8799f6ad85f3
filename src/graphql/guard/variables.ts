/** How much there is to read in a request's variables. */
import { type ASTNode, visit } from 'graphql';
import { LongNumber } from '../../json/json.ts';
import type { Variables } from '../operation.ts';
import type { Fragments } from '../selection/fields.ts';

/** How often each variable is used. */
type Uses = ReadonlyMap<string, number>;

/** How often a part of a document uses each variable, counting a fragment's uses at every spread. */
export function usesIn(
  part: ASTNode,
  fragments: Fragments,
  known = new Map<ASTNode, Uses>(),
): Uses {
  const uses = new Map<string, number>();
  const add = (name: string, times: number) => uses.set(name, (uses.get(name) ?? 0) + times);
  visit(part, {
    VariableDefinition: () => false,
    Variable: ({ name }) => void add(name.value, 1),
    FragmentSpread: ({ name }) => {
      const fragment = fragments.get(name.value);
      if (!fragment) return;
      const inner = known.get(fragment) ?? usesIn(fragment, fragments, known);
      known.set(fragment, inner);
      for (const [variable, times] of inner) add(variable, times);
    },
  });
  return uses;
}

/**
 * Counts the values in a request's variables: each list, each object and everything in them. Every
 * field reads its arguments anew, so a variable counts as often as it is used.
 * @param max beyond which the count need not be exact
 */
export function valuesOf(uses: Uses, variables: Variables, max: number): number {
  let values = 0;
  for (const [name, times] of uses) {
    if (values > max) break;
    if (!Object.hasOwn(variables, name)) continue;
    values += times * count(variables[name], (max - values) / times);
  }
  return values;
}

/** Counts a value and all those in it; not exact beyond `max`. */
function count(value: unknown, max: number): number {
  if (typeof value !== 'object') return 1;
  const values = [value];
  for (const one of values) {
    if (values.length > max) break;
    if (typeof one !== 'object' || one === null || one instanceof LongNumber) continue;
    for (const inner of Object.values(one)) values.push(inner);
  }
  return values.length;
}
