/** How much a request's variables hold, for what reading them costs. */
import { type ASTNode, visit } from 'graphql';
import { LongNumber } from '../../json.ts';
import type { Fragments } from '../fields.ts';
import type { Variables } from '../run.ts';

/** How often each variable is used. */
export type Uses = ReadonlyMap<string, number>;

/** How often a part of a document uses its variables, those of a fragment wherever it is spread. */
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
 * The values that a request's variables hold: lists, objects and what they hold are a value each.
 * A field reads what it is given by itself, so each counts as often as its variable is used.
 * @param most past which the count need not be exact
 */
export function valuesOf(uses: Uses, variables: Variables, most: number): number {
  let values = 0;
  for (const [name, times] of uses) {
    if (values > most) break;
    if (!Object.hasOwn(variables, name)) continue;
    values += times * count(variables[name], (most - values) / times);
  }
  return values;
}

/** Values in one, itself among them; no longer exact once there are more than `most`. */
function count(value: unknown, most: number): number {
  if (typeof value !== 'object') return 1;
  const found = [value];
  for (const one of found) {
    if (found.length > most) break;
    if (typeof one !== 'object' || one === null || one instanceof LongNumber) continue;
    for (const inner of Object.values(one)) found.push(inner);
  }
  return found.length;
}
