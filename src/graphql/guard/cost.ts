/** How many records an operation may resolve: the sizes of nested lists, multiplied. */
import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import type { Variables } from '../operation.ts';
import { schema } from '../schema.ts';
import { type Fragments, isList } from '../selection/fields.ts';
import { countedBy, isRecord, isRelation, nestedList } from '../selection/relations.ts';
import { summing } from './sums.ts';

/** A number, or a function of a call's variables. */
type Amount = number | ((variables: Variables) => number);

/** @param variables as sent: the use case refuses those that are not numbers */
export const amountOf = (amount: Amount, variables: Variables): number =>
  typeof amount === 'number' ? amount : amount(variables);

const combined =
  (combine: (one: number, other: number) => number) =>
  (one: Amount, other: Amount): Amount =>
    typeof one === 'number' && typeof other === 'number'
      ? combine(one, other)
      : (variables) => combine(amountOf(one, variables), amountOf(other, variables));

const plus = combined((one, other) => one + other);
const times = combined((one, other) => one * other);
const larger = combined(Math.max);

/** The assumed size of a list that nothing in the request limits. */
const assumed = 10;

/** Arguments of root fields that set the size of the lists beneath. */
const sizeArguments: readonly string[] = ['per_page', 'per_stage'];

interface Cost {
  /** How many records the operation resolves at most, unless it is open. */
  readonly records: Amount;
  /** Whether the operation leaves some list unlimited, for which {@link assumed} was taken. */
  readonly isOpen: boolean;
}

/** What surrounds a field: its type, whether it is in a list, and the size that its root field sets. */
interface Surrounding {
  readonly type: GraphQLObjectType;
  readonly inList: boolean;
  readonly size: Amount | undefined;
}

/** @param operation a valid one */
export function costOf(operation: OperationDefinitionNode, fragments: Fragments): Cost {
  let isOpen = false;
  const unbounded = (): number => {
    isOpen = true;
    return assumed;
  };
  const defaults: Defaults = new Map(
    operation.variableDefinitions?.map(({ variable, defaultValue }) => [
      variable.name.value,
      literal(defaultValue),
    ]),
  );
  const records = summing<Surrounding, Amount>(fragments, 0, plus, (node, around) => {
    const parent = around.type;
    const field = parent.getFields()[node.name.value];
    const type = field && getNamedType(field.type);
    if (!field || !isObjectType(type)) {
      return searches(node) && countedBy(parent.name, node.name.value) ? assumed : 0;
    }
    const many = isList(field.type);
    const sizing = field.args.find(({ name }) => sizeArguments.includes(name));
    const inner = {
      type,
      inList: around.inList || many,
      size: sizing
        ? sizeIn(node, sizing.name, defaults, () => size(sizing.defaultValue) ?? assumed)
        : around.size,
    };
    const one = plus(records(node.selectionSet, inner), isRecord(type.name) ? 1 : 0);
    if (!many || one === 0) return one;
    // Nothing in the request says how many stages a pipeline has.
    if (parent.name === 'PipelineBoard') return times(unbounded(), one);
    if (!isRelation(parent.name, node.name.value)) return times(around.size ?? unbounded(), one);
    const usual = () => (around.inList ? nestedList.default : unbounded());
    const limit = sizeIn(node, 'limit', defaults, usual);
    // What a search leaves out has been read as well.
    return searches(node) ? larger(times(limit, one), assumed) : times(limit, one);
  });
  const type = schema.getRootType(operation.operation);
  const around = { inList: false, size: undefined };
  return { records: type ? records(operation.selectionSet, { type, ...around }) : 0, isOpen };
}

/** Whether records are looked for in a list. */
const searches = (node: FieldNode): boolean =>
  node.arguments?.some(({ name }) => name.value === 'query') ?? false;

/** Values of variables that are not sent. */
type Defaults = ReadonlyMap<string, string | undefined>;

/** The size that an argument of a field sets, if it does. */
function sizeIn(
  node: FieldNode,
  argument: string,
  defaults: Defaults,
  otherwise: () => Amount,
): Amount {
  const value = node.arguments?.find(({ name }) => name.value === argument)?.value;
  if (value?.kind !== Kind.VARIABLE) return size(literal(value)) ?? otherwise();
  const name = value.name.value;
  return sizeOf(name, defaults.get(name), otherwise());
}

const sizeOf =
  (variable: string, usual: string | undefined, otherwise: Amount): Amount =>
  (variables) => {
    const value = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    return size(value === undefined ? usual : value) ?? amountOf(otherwise, variables);
  };

function size(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 ? number : undefined;
}

/** A number literal, written as a number or a string. */
const literal = (node: ValueNode | undefined): string | undefined =>
  node?.kind === Kind.INT || node?.kind === Kind.FLOAT || node?.kind === Kind.STRING
    ? node.value
    : undefined;
