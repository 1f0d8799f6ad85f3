/** Reading the fields of a document, with fragments expanded. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  type GraphQLOutputType,
  GraphQLSkipDirective,
  getDirectiveValues,
  isListType,
  isNonNullType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** The fragments of a document by name. */
export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

export const fragmentsOf = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [],
    ),
  );

/** The fields of merged selections, by response name; those alone that `isIncluded` is true of. */
export function fieldsOf(
  sets: readonly SelectionSetNode[],
  fragment: (name: string) => FragmentDefinitionNode | undefined,
  isIncluded: (node: SelectionNode) => boolean = () => true,
): ReadonlyMap<string, readonly FieldNode[]> {
  const nodesByName = new Map<string, FieldNode[]>();
  const opened = new Set<string>();
  const open = ({ selections }: SelectionSetNode): void => {
    for (const node of selections) {
      if (!isIncluded(node)) continue;
      if (node.kind === Kind.FIELD) {
        const name = (node.alias ?? node.name).value;
        const alike = nodesByName.get(name);
        if (alike) alike.push(node);
        else nodesByName.set(name, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        open(node.selectionSet);
      } else if (!opened.has(node.name.value)) {
        opened.add(node.name.value);
        const spread = fragment(node.name.value);
        if (spread) open(spread.selectionSet);
      }
    }
  };
  for (const set of sets) open(set);
  return nodesByName;
}

/** Whether `@skip` and `@include` leave a node in; no variable is null here, which is refused before it runs. */
export function isIncluded(
  node: SelectionNode,
  variables: Readonly<Record<string, unknown>>,
): boolean {
  if (!node.directives?.length) return true;
  const skip = getDirectiveValues(GraphQLSkipDirective, node, variables);
  const include = getDirectiveValues(GraphQLIncludeDirective, node, variables);
  return skip?.if !== true && include?.if !== false;
}

/** The selections of merged fields. */
export const selectedOf = (nodes: readonly FieldNode[]): readonly SelectionSetNode[] =>
  nodes.flatMap(({ selectionSet }) => (selectionSet ? [selectionSet] : []));

export const isList = (type: GraphQLOutputType): boolean =>
  isListType(isNonNullType(type) ? type.ofType : type);
