/**
 * What one document may ask for: enough for any honest one, too little to wear the service out.
 * What can be told from the text is judged when it is validated, once a document; how many records
 * it may resolve depends on its variables, and is judged by {@link file://./cost.ts} each time.
 */
import {
  type ASTVisitor,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type SelectionSetNode,
  type ValidationContext,
  visit,
} from 'graphql';
import { Introspection } from './introspection.ts';

export const limits = {
  /** Characters; those of comments are no tokens. */
  text: 256 * 1024,
  /** A line ends each comment, which the parser keeps. */
  lines: 4000,
  tokens: 2000,
  /** Levels of fields. */
  depth: 12,
  /** Levels of fields of what describes the schema, which tools ask in more of them. */
  introspection: 20,
  /** Values that describe the schema; all that GraphiQL and generators ask is half of these. */
  described: 15_000,
  aliases: 30,
  rootFields: 20,
  directives: 50,
  /** Fields, those of a fragment counted wherever it is spread. */
  fields: 1000,
  /** Records that a request resolves. */
  records: 10_000,
  /** Values that a request's variables hold, counted wherever one is used. */
  values: 100_000,
  /** Errors that are told of one request; what went wrong a thousand times is told soon enough. */
  errors: 20,
} as const;

/** Says which limit a document is beyond, what it has and what is allowed. */
export const excess = (what: string, allowed: number): string =>
  `The document has ${what}; the limit is ${allowed}`;

/** A sentence for a text that is not worth parsing; undefined for any other. */
export function excessOfText(text: string): string | undefined {
  if (text.length > limits.text) return excess(`${text.length} characters`, limits.text);
  if (text.length < limits.lines) return undefined;
  const lines = linesOf(text);
  return lines > limits.lines ? excess(`${lines} lines`, limits.lines) : undefined;
}

export function linesOf(text: string): number {
  return text.split(/[\r\n]/).length;
}

/** Validation rule: refuses a document beyond a limit. */
export function withinLimits(context: ValidationContext): ASTVisitor {
  for (const message of excesses(context.getDocument(), context.getSchema())) {
    context.reportError(new GraphQLError(message));
  }
  return {};
}

/** A sentence for each limit that a document is beyond. */
export function excesses(document: DocumentNode, schema: GraphQLSchema): string[] {
  const { aliases, directives } = count(document);
  const measured = new Measure(document, schema).operations();
  const most = (of: keyof Size) => Math.max(0, ...measured.map((size) => size[of]));
  const found: readonly (readonly [number, string, number])[] = [
    [most('depth'), 'levels of fields', limits.depth],
    [most('introspection'), 'levels of introspection', limits.introspection],
    [most('described'), 'values of introspection', limits.described],
    [aliases, 'aliases', limits.aliases],
    [most('root'), 'root fields', limits.rootFields],
    [directives, 'directives', limits.directives],
    [most('fields'), 'fields with its fragments opened', limits.fields],
  ];
  return found
    .filter(([was, , allowed]) => was > allowed)
    .map(([was, what, allowed]) => excess(`${was} ${what}`, allowed));
}

/** What the parser says of a document with too many tokens, in the words of the other limits. */
export function tellParser(message: string): string {
  if (/contains more that \d+ tokens/.test(message)) {
    return excess(`more than ${limits.tokens} tokens`, limits.tokens);
  }
  // Lists within lists are few tokens, and more than the parser's stack can hold.
  return /call stack/.test(message) ? 'The document is nested too deep' : message;
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
  /** Fields that stand at the top. */
  readonly root: number;
}

const nothing: Size = { depth: 0, introspection: 0, described: 0, fields: 0, root: 0 };

/** Sizes of selections; each fragment is measured once, however often it is spread. */
class Measure {
  readonly #document: DocumentNode;
  readonly #schema: GraphQLSchema;
  readonly #fragments = new Map<string, FragmentDefinitionNode>();
  readonly #measured = new Map<string, Size>();
  #introspection: Introspection | undefined;

  constructor(document: DocumentNode, schema: GraphQLSchema) {
    this.#document = document;
    this.#schema = schema;
    for (const definition of document.definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) {
        this.#fragments.set(definition.name.value, definition);
      }
    }
  }

  operations(): Size[] {
    return this.#document.definitions.flatMap((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? [this.#size(definition.selectionSet)] : [],
    );
  }

  #size({ selections }: SelectionSetNode): Size {
    let size = nothing;
    for (const node of selections) {
      if (node.kind === Kind.FIELD) {
        const below = node.selectionSet ? this.#size(node.selectionSet) : nothing;
        const field = { ...below, fields: 1 + below.fields, root: 1 };
        const levels = node.name.value.startsWith('__')
          ? { depth: 1, introspection: below.depth, described: this.#described(node) }
          : { depth: 1 + below.depth };
        size = sum(size, { ...field, ...levels });
      } else if (node.kind === Kind.INLINE_FRAGMENT)
        size = sum(size, this.#size(node.selectionSet));
      else size = sum(size, this.#fragment(node.name.value));
    }
    return size;
  }

  #described(node: FieldNode): number {
    // Few documents ask what the schema holds, and only theirs are worth knowing it.
    if (!node.selectionSet) return 0;
    this.#introspection ??= new Introspection(this.#schema, this.#fragments);
    return this.#introspection.values(node);
  }

  #fragment(name: string): Size {
    const known = this.#measured.get(name);
    if (known) return known;
    // A fragment within itself is refused by another rule; here it only must not go on for ever.
    this.#measured.set(name, nothing);
    const fragment = this.#fragments.get(name);
    const size = fragment ? this.#size(fragment.selectionSet) : nothing;
    this.#measured.set(name, size);
    return size;
  }
}

const sum = (one: Size, other: Size): Size => ({
  depth: Math.max(one.depth, other.depth),
  introspection: Math.max(one.introspection, other.introspection),
  described: one.described + other.described,
  fields: one.fields + other.fields,
  root: one.root + other.root,
});
