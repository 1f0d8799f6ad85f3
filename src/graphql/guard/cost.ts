/** How many records an operation may resolve: the sizes of lists within lists multiplied. */
import {
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql';
import { type Fragments, isList } from '../fields.ts';
import type { Variables } from '../run.ts';
import { schema } from '../schema.ts';
import { isRecord, isRelation, nestedList } from '../selection.ts';
import { summing } from './sums.ts';

/** A number, or how the variables of a call make one. */
export type Amount = number | ((variables: Variables) => number);

/** @param variables as they were sent; what is no number is left to the use case to refuse */
export const given = (amount: Amount, variables: Variables): number =>
  typeof amount === 'number' ? amount : amount(variables);

const combined =
  (combine: (one: number, other: number) => number) =>
  (one: Amount, other: Amount): Amount =>
    typeof one === 'number' && typeof other === 'number'
      ? combine(one, other)
      : (variables) => combine(given(one, variables), given(other, variables));

const plus = combined((one, other) => one + other);
const times = combined((one, other) => one * other);

/** What is taken for the size of a list that nothing in the request bounds. */
const assumed = 10;

/** Arguments of a root field that give the size of lists beneath it. */
const sizeArguments: readonly string[] = ['per_page', 'per_stage'];

export interface Cost {
  /** The records that the operation resolves, at most unless it is open. */
  readonly records: Amount;
  /** Whether nothing in the operation bounds one of its lists, which is taken to have 10 records. */
  readonly isOpen: boolean;
}

/** What surrounds a field: its type, whether a list does, and the size that the root field gives. */
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
    if (!field || !isObjectType(type)) return 0;
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
    // How many stages a pipeline has is no part of the request.
    if (parent.name === 'PipelineBoard') return times(unbounded(), one);
    if (!isRelation(parent.name, node.name.value)) return times(around.size ?? unbounded(), one);
    const usual = () => (around.inList ? nestedList.usual : unbounded());
    return times(sizeIn(node, 'limit', defaults, usual), one);
  });
  const type = schema.getRootType(operation.operation);
  const around = { inList: false, size: undefined };
  return { records: type ? records(operation.selectionSet, { type, ...around }) : 0, isOpen };
}

/** What variables are when they are not sent. */
type Defaults = ReadonlyMap<string, string | undefined>;

/** The size that an argument of a field gives, if it gives one. */
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
    const sent = Object.hasOwn(variables, variable) ? variables[variable] : undefined;
    return size(sent === undefined ? usual : sent) ?? given(otherwise, variables);
  };

function size(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 ? number : undefined;
}

/** A number as a document writes it, as a number or a text. */
const literal = (node: ValueNode | undefined): string | undefined =>
  node?.kind === Kind.INT || node?.kind === Kind.FLOAT || node?.kind === Kind.STRING
    ? node.value
    : undefined;
