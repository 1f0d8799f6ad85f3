/** Faults as GraphQL tells them: the same codes and fields as REST, and the same silence. */

import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError } from 'graphql';
import { codes, Fault } from '../errors.ts';
import { tellTokens } from './limits.ts';

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
    return { message: tellTokens(formatted.message), ...place, extensions: { code } };
  }
  unknown(cause);
  return { ...faultAsError(new Fault('INTERNAL_SERVER_ERROR')), ...place };
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
