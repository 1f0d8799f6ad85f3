/** Faults as GraphQL tells them: the same codes and fields as REST, and the same silence. */

import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { codes, Fault } from '../errors.ts';
import { tellParser } from './limits.ts';

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

/** What of an error is told to a client; `unknown` is told of those that are masked. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  unknown: (cause: unknown) => void,
): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  const { locations, path } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (cause instanceof Fault) return { ...faultAsError(cause), ...place };
  const code = formatted.extensions?.code;
  if (typeof code === 'string' && protocol.has(code) && cause === error) {
    return { message: tellParser(formatted.message), ...place, extensions: { code } };
  }
  if (isClientMistake(error)) {
    return { message: formatted.message, ...place, extensions: { code: 'BAD_USER_INPUT' } };
  }
  unknown(cause);
  return { ...faultAsError(new Fault('INTERNAL_SERVER_ERROR')), ...place };
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
