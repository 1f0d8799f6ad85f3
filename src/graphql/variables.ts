/** How much a request's variables hold, for what reading them costs. */
import {
  type DefinitionNode,
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { LongNumber } from '../json.ts';
import type { Variables } from './run.ts';

/**
 * The values that a request's variables hold: lists, objects and what they hold are a value each.
 * A field reads what it is given by itself, so each counts as often as its variable is used, in a
 * fragment wherever that is spread.
 * @param most past which the count need not be exact
 */
export function valuesOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
  most: number,
): number {
  let values = 0;
  for (const [name, times] of usesOf(document, operation)) {
    if (values > most) break;
    if (!Object.hasOwn(variables, name)) continue;
    values += times * count(variables[name], (most - values) / times);
  }
  return values;
}

/** Values in one, itself among them; no longer exact once there are more than `most`. */
function count(value: unknown, most: number): number {
  const found = [value];
  for (const one of found) {
    if (found.length > most) break;
    if (typeof one !== 'object' || one === null || one instanceof LongNumber) continue;
    for (const inner of Object.values(one)) found.push(inner);
  }
  return found.length;
}

type Uses = ReadonlyMap<string, number>;

const known = new WeakMap<OperationDefinitionNode, Uses>();

/** How often an operation uses each of its variables. */
function usesOf(document: DocumentNode, operation: OperationDefinitionNode): Uses {
  const told = known.get(operation);
  if (told) return told;
  const uses = operation.variableDefinitions?.length
    ? new Spread(document).uses(operation)
    : new Map<string, number>();
  known.set(operation, uses);
  return uses;
}

/** A document with its fragments opened; each of them is read once. */
class Spread {
  readonly #fragments = new Map<string, DefinitionNode>();
  readonly #read = new Map<DefinitionNode, Uses>();

  constructor({ definitions }: DocumentNode) {
    for (const definition of definitions) {
      if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
      this.#fragments.set(definition.name.value, definition);
    }
  }

  uses(definition: DefinitionNode): Uses {
    const read = this.#read.get(definition);
    if (read) return read;
    const uses = new Map<string, number>();
    this.#read.set(definition, uses);
    const add = (name: string, times: number) => uses.set(name, (uses.get(name) ?? 0) + times);
    visit(definition, {
      VariableDefinition: () => false,
      Variable: ({ name }) => void add(name.value, 1),
      FragmentSpread: ({ name }) => {
        const fragment = this.#fragments.get(name.value);
        if (!fragment) return;
        for (const [variable, times] of this.uses(fragment)) add(variable, times);
      },
    });
    return uses;
  }
}
