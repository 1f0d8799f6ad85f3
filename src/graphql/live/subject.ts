import { type DocumentNode, getOperationAST, parse } from 'graphql';
import { Fault } from '../../errors/errors.ts';
import { isJsonObject, type JsonObject } from '../../json/json.ts';
import { limits } from '../guard/limits.ts';
import { fieldsOf, fragmentsOf } from '../selection/fields.ts';

/** A document, as the body of a request asks to run it. */
export interface SubscriptionRequest {
  readonly query: string;
  readonly variables: JsonObject;
  readonly operationName?: string;
}

/** @throws {Fault} BAD_USER_INPUT unless it is one */
export function readSubscription(body: unknown): SubscriptionRequest {
  const { query, variables, operationName } = isJsonObject(body) ? body : {};
  const faults: string[] = [];
  if (typeof query !== 'string') faults.push('query must be a text');
  if (!isNone(variables) && !isJsonObject(variables)) faults.push('variables must be an object');
  if (!isNone(operationName) && typeof operationName !== 'string')
    faults.push('operationName must be a text');
  if (faults.length > 0 || typeof query !== 'string') throw new Fault('BAD_USER_INPUT', faults);
  return {
    query,
    variables: isJsonObject(variables) ? variables : {},
    ...(typeof operationName === 'string' ? { operationName } : {}),
  };
}

const isNone = (value: unknown): boolean => value === undefined || value === null;

/**
 * Whether a document's operation selects a root field; false for one that cannot be read, which
 * fails elsewhere.
 */
export function isAbout({ query, operationName }: SubscriptionRequest, field: string): boolean {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: limits.tokens, noLocation: true });
  } catch {
    return false;
  }
  const operation = getOperationAST(document, operationName);
  if (!operation) return false;
  const fragments = fragmentsOf(document);
  const fields = fieldsOf([operation.selectionSet], (name) => fragments.get(name));
  return [...fields.values()].flat().some(({ name }) => name.value === field);
}
