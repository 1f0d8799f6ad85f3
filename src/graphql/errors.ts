/** Faults as GraphQL tells them: the same codes and fields as REST, and the same silence. */

import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { codes, Fault } from '../errors.ts';
import { tellParser } from './guard/limits.ts';

/** Errors of the protocol itself, which Apollo words without naming anything of ours. */
const protocol = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/** What of an error is told to a client: all that is not known to be harmless is masked. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  const { locations, path } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (cause instanceof Fault) return { ...faultAsError(cause), ...place };
  const code = protocolCode(error);
  if (code !== undefined) {
    return { message: tellParser(formatted.message), ...place, extensions: { code } };
  }
  if (isClientMistake(error)) {
    return { message: formatted.message, ...place, extensions: { code: 'BAD_USER_INPUT' } };
  }
  return { ...faultAsError(new Fault('INTERNAL_SERVER_ERROR')), ...place };
}

/** What is behind an error that is none of the protocol's: what a resolver threw, mostly. */
export function causeOfError(error: unknown): unknown {
  if (protocolCode(error) !== undefined || isClientMistake(error)) return undefined;
  return unwrapResolverError(error);
}

function protocolCode(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError) || unwrapResolverError(error) !== error) return undefined;
  const { code } = error.extensions;
  return typeof code === 'string' && protocol.has(code) ? code : undefined;
}

/** Apollo marks by its HTTP status what a client did wrong, and gives some of it no code. */
function isClientMistake(error: unknown): boolean {
  const status = error instanceof GraphQLError ? error.extensions.http?.status : undefined;
  return status !== undefined && status >= 400 && status < 500;
}

/** A fault as an entry of `errors`. */
export function faultAsError(fault: Fault): GraphQLFormattedError {
  return {
    message: codes[fault.code].summary,
    extensions: {
      code: fault.code,
      errors: fault.messages,
      ...(fault.fields ? { fields: fault.fields } : {}),
    },
  };
}
