import {
  BREAK,
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLFieldResolver,
  execute as interpret,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { compileQuery, isCompiledQuery } from 'graphql-jit';
import type { Context } from '../context.ts';
import { schema } from './schema.ts';
import { isRelation, relationKey } from './selection.ts';

type Compiled = (context: Context, variables: Variables) => Promise<ExecutionResult>;

export type Variables = Readonly<Record<string, unknown>>;

// A document is compiled once; the compiled form goes when the document does.
const compiled = new WeakMap<DocumentNode, Map<string, Compiled>>();

/**
 * Executes a validated document in this process.
 * @param operationName needed when the document has several
 */
export function execute(
  document: DocumentNode,
  context: Context,
  variables: Variables,
  operationName?: string,
): Promise<ExecutionResult> {
  const known = compiled.get(document) ?? new Map<string, Compiled>();
  compiled.set(document, known);
  const run =
    known.get(operationName ?? '') ?? demanding(document, compile(document, operationName));
  known.set(operationName ?? '', run);
  return run(context, variables);
}

/**
 * Refuses a condition that is null before anything runs. A nullable variable with a default may be
 * one (GraphQL, 5.8.5), and its null would be false here, and there an error in mid-execution.
 */
function demanding(document: DocumentNode, run: Compiled): Compiled {
  const conditions = conditionsOf(document);
  if (conditions.length === 0) return run;
  return async (context, variables) => {
    const missing = conditions.find((name) => variables[name] === null);
    if (missing === undefined) return run(context, variables);
    const message = `Variable "$${missing}" must not be null: @include or @skip reads it.`;
    return { errors: [new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } })] };
  };
}

/** The variables that say whether something is asked for. */
function conditionsOf(document: DocumentNode): readonly string[] {
  const found = new Set<string>();
  visit(document, {
    Directive: {
      enter: (directive) => {
        for (const { value } of directive.arguments ?? []) {
          if (value.kind === Kind.VARIABLE) found.add(value.name.value);
        }
      },
    },
  });
  return [...found];
}

/**
 * A compiled document holds its literals as program text, in which an object's keys and long
 * numbers do not survive; a document with such literals is interpreted instead. So is one that calls
 * relations otherwise than the schema does, which a record has under their names, and one that asks
 * what the schema holds: compiling it takes ten times as long as answering it.
 */
function compile(document: DocumentNode, operationName: string | undefined): Compiled {
  if (isInterpreted(document)) {
    return async (contextValue, variableValues) =>
      blaming(
        await interpret({
          schema,
          document,
          operationName: operationName ?? null,
          contextValue,
          variableValues,
          fieldResolver,
        }),
      );
  }
  const query = compileQuery(schema, document, operationName ?? '');
  if (!isCompiledQuery(query)) {
    const result = blaming(query);
    return () => Promise.resolve(result);
  }
  return async (context, variables) => {
    const result: ExecutionResult = await query.query(undefined, context, { ...variables });
    return blaming(result.errors ? { ...result, errors: result.errors.map(complete) } : result);
  };
}

/** Without any data nothing was run: the errors are of the variables or the operation. */
function blaming(result: ExecutionResult): ExecutionResult {
  if (!result.errors || 'data' in result) return result;
  const extensions = { code: 'BAD_USER_INPUT' };
  return {
    errors: result.errors.map(
      ({ message, nodes }) => new GraphQLError(message, { nodes: nodes ?? null, extensions }),
    ),
  };
}

/** Errors of compiled queries have no extensions, which every reader of errors counts on. */
const complete = ({ message, path, originalError }: GraphQLError): GraphQLError =>
  new GraphQLError(message, { path: path ?? null, originalError: originalError ?? null });

/** The error behind a GraphQL error: what a resolver threw, if it was a resolver. */
export const causeOf = (error: GraphQLError): unknown => error.originalError ?? error;

const asksForSchema: ReadonlySet<string> = new Set(['__schema', '__type']);

function isInterpreted(document: DocumentNode): boolean {
  let found = false;
  const types = new TypeInfo(schema);
  const find = (is: boolean) => {
    found ||= is;
    return found ? BREAK : undefined;
  };
  visit(
    document,
    visitWithTypeInfo(types, {
      ObjectValue: () => find(true),
      Field: ({ name: { value: field }, alias }) =>
        find(
          asksForSchema.has(field) ||
            (alias !== undefined && isRelation(types.getParentType()?.name ?? '', field)),
        ),
    }),
  );
  return found;
}

/** What lies beneath a record was fetched with it, and is there under the name the client gave it. */
const fieldResolver: GraphQLFieldResolver<Readonly<Record<string, unknown>>, Context> = (
  record,
  _given,
  _context,
  { parentType, fieldName, path },
) =>
  record[
    isRelation(parentType.name, fieldName) ? relationKey(fieldName, String(path.key)) : fieldName
  ];
