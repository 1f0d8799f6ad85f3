/** Faults as GraphQL errors: the same codes and fields as REST, and as little of anything else. */
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { codes, documentCodes, extensionOf } from '../errors/codes.ts';
import { Fault, MergedContact } from '../errors/errors.ts';
import { parserMessage } from './guard/limits.ts';

/** Errors of the protocol itself, in whose messages Apollo reveals nothing of the service. */
const protocolCodes = new Set<string>([...documentCodes, 'BAD_USER_INPUT']);

/** Characters of a message: one about the value of a variable quotes all of it. */
const maxMessage = 2000;

/** What a client sees of an error: everything not known to be harmless is masked. */
export function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  const { locations, path } = formatted;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  if (cause instanceof Fault) return { ...faultAsError(cause), ...place };
  const code = protocolCode(error) ?? (isClientMistake(error) ? 'BAD_USER_INPUT' : undefined);
  if (code === undefined) return { ...faultAsError(new Fault('INTERNAL_SERVER_ERROR')), ...place };
  const message = parserMessage(formatted.message.slice(0, maxMessage));
  return { message, ...place, extensions: { code } };
}

/** The cause of an error, such as what a resolver threw; undefined for the client's own mistakes. */
export function causeOfError(error: unknown): unknown {
  if (protocolCode(error) !== undefined || isClientMistake(error)) return undefined;
  return unwrapResolverError(error);
}

function protocolCode(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError) || unwrapResolverError(error) !== error) return undefined;
  const { code } = error.extensions;
  return typeof code === 'string' && protocolCodes.has(code) ? code : undefined;
}

/** Some mistakes of clients have no code from Apollo, only an HTTP status. */
function isClientMistake(error: unknown): boolean {
  const status = error instanceof GraphQLError ? error.extensions.http?.status : undefined;
  return status !== undefined && status >= 400 && status < 500;
}

/** A fault as an entry of `errors`. */
export function faultAsError(fault: Fault): GraphQLFormattedError {
  return {
    message: codes[fault.code].summary,
    extensions: {
      code: extensionOf(fault.code),
      errors: fault.messages,
      ...(fault.fields ? { fields: fault.fields } : {}),
      ...(fault.fieldCodes ? { codes: fault.fieldCodes } : {}),
      ...(fault.conflict ? { conflict: fault.conflict } : {}),
      ...(fault instanceof MergedContact ? { merged_into: fault.into } : {}),
    },
  };
}
