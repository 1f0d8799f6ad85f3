/** Documents of clients that come by another door than `/graphql`, and under the same limits. */
import {
  type DocumentNode,
  type FormattedExecutionResult,
  GraphQLError,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context/context.ts';
import { Fault } from '../errors/errors.ts';
import { eventLoopQueue } from '../lib/event_loop_queue.ts';
import { formatError } from './errors.ts';
import { executeWithinLimits, prepareStored } from './execute.ts';
import { excessOfText, limits, parserMessage } from './guard/limits.ts';
import { withinLimits } from './guard/size.ts';
import type { Run, Variables } from './operation.ts';
import { schema } from './schema.ts';

/** A document that was read once, and may come again. */
const known = new LRUCache<string, DocumentNode>({ max: 200 });

/** Longer ones are rarely sent twice, and would take much memory. */
const longestKept = 10_000;

const refused = (messages: readonly string[]): Fault => new Fault('BAD_USER_INPUT', messages);

/**
 * Parses and validates a document that only reads.
 * @param introspects whether it may ask for the schema
 * @throws {Fault} BAD_USER_INPUT with what is wrong with it
 */
export async function readDocument(
  text: string,
  { viewer }: Pick<Context, 'viewer'>,
  introspects = false,
): Promise<DocumentNode> {
  const key = `${introspects} ${text}`;
  const before = known.get(key);
  if (before) return before;
  const excess = excessOfText(text);
  if (excess !== undefined) throw refused([excess]);
  await eventLoopQueue.waitForTurn(viewer.accountId);
  const document = parsed(text);
  await eventLoopQueue.waitForTurn(viewer.accountId);
  const rules = [
    ...specifiedRules,
    withinLimits,
    ...(introspects ? [] : [NoSchemaIntrospectionCustomRule]),
  ];
  const errors = validate(schema, document, rules, {
    maxErrors: limits.errors,
    hideSuggestions: !introspects,
  });
  if (errors.length > 0) throw refused(errors.map(({ message }) => message));
  const isReading = document.definitions.every(
    (definition) =>
      !('operation' in definition) || definition.operation === OperationTypeNode.QUERY,
  );
  if (!isReading) throw refused(['The document must only read: it may hold queries alone']);
  if (text.length <= longestKept) known.set(key, document);
  return document;
}

function parsed(text: string): DocumentNode {
  try {
    return parse(text, { maxTokens: limits.tokens });
  } catch (error) {
    if (error instanceof GraphQLError || error instanceof RangeError) {
      throw refused([parserMessage(error.message)]);
    }
    throw error;
  }
}

/**
 * Runs a document within the limits of `/graphql`.
 * @throws {Fault} INSUFFICIENT_SCOPE when the viewer's token may not read all that it selects; BAD_USER_INPUT when
 *   the document has no such operation
 */
export async function runDocument(
  document: DocumentNode,
  context: Context,
  variables: Variables,
  operationName?: string,
): Promise<FormattedExecutionResult> {
  if (!getOperationAST(document, operationName)) {
    throw refused(['The document has no such operation: name one of those that it has']);
  }
  const result = await executeWithinLimits(document, context, variables, operationName);
  const { data, errors } = result ?? {};
  return {
    ...(errors && { errors: errors.map((error) => formatError(error.toJSON(), error)) }),
    ...(data !== undefined && { data }),
  };
}

/**
 * The same of one of the service's own documents, of which every root field must be answered.
 * @throws what the first of them fails with
 */
export async function readData(
  text: string,
  context: Context,
  variables: Variables = {},
): Promise<Readonly<Record<string, unknown>>> {
  const document = await readDocument(text, context);
  const result = await executeWithinLimits(document, context, variables);
  const [error] = result?.errors ?? [];
  if (error) throw error.originalError ?? refused([error.message]);
  return result?.data ?? {};
}

/** @param text one of the service's own documents, whose variables accept any value */
export const prepareOwn = (text: string): Run => prepareStored(parse(text));
