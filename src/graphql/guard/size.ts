/** How large a document is by its text alone. */
import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  type ValidationContext,
  visit,
} from 'graphql';
import { fragmentsOf } from '../selection/fields.ts';
import { counting } from './introspection.ts';
import { excess, limits } from './limits.ts';
import { summing } from './sums.ts';

/** Validation rule: reports every limit that a document exceeds. */
export function withinLimits(context: ValidationContext): ASTVisitor {
  const document = context.getDocument();
  const sizes = sizesOf(document);
  const max = (of: keyof Size) => Math.max(0, ...sizes.map((size) => size[of]));
  const { aliases, directives } = count(document);
  const counts: readonly (readonly [number, string, number])[] = [
    [max('depth'), 'levels of fields', limits.depth],
    [max('introspection'), 'levels of introspection', limits.introspection],
    [max('described'), 'values of introspection', limits.described],
    [aliases, 'aliases', limits.aliases],
    [max('root'), 'root fields', limits.rootFields],
    [directives, 'directives', limits.directives],
    [max('fields'), 'fields with its fragments opened', limits.fields],
  ];
  for (const [size, what, allowed] of counts) {
    if (size > allowed) context.reportError(new GraphQLError(excess(`${size} ${what}`, allowed)));
  }
  return {};
}

function count(document: DocumentNode): { aliases: number; directives: number } {
  let aliases = 0;
  let directives = 0;
  visit(document, {
    enter: (node) => {
      if (node.kind === Kind.FIELD && node.alias) aliases += 1;
      if (node.kind === Kind.DIRECTIVE) directives += 1;
    },
  });
  return { aliases, directives };
}

interface Size {
  readonly depth: number;
  readonly introspection: number;
  readonly described: number;
  readonly fields: number;
  /** Fields at the top level. */
  readonly root: number;
}

const nothing: Size = { depth: 0, introspection: 0, described: 0, fields: 0, root: 0 };

const plus = (one: Size, other: Size): Size => ({
  depth: Math.max(one.depth, other.depth),
  introspection: Math.max(one.introspection, other.introspection),
  described: one.described + other.described,
  fields: one.fields + other.fields,
  root: one.root + other.root,
});

/** The size of each operation. */
function sizesOf(document: DocumentNode): readonly Size[] {
  const fragments = fragmentsOf(document);
  let described: ((field: FieldNode) => number) | undefined;
  const sizeOf = summing<undefined, Size>(fragments, nothing, plus, (field): Size => {
    const below = sizeOf(field.selectionSet, undefined);
    const size = { ...below, fields: 1 + below.fields, root: 1 };
    if (!field.name.value.startsWith('__')) return { ...size, depth: 1 + below.depth };
    if (!field.selectionSet) return { ...size, depth: 1 };
    // Describing the schema takes time, and few documents ask for it.
    described ??= counting(fragments);
    return { ...size, depth: 1, introspection: below.depth, described: described(field) };
  });
  return document.definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? [sizeOf(definition.selectionSet, undefined)]
      : [],
  );
}
