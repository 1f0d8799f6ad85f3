/**
 * Every code that a refusal may bear: one for the whole of it, and one for each thing that is wrong with a field; and
 * those of GraphQL documents that are not run. Clients compare them, so codes are added and never changed.
 * `docs/api/errors.md` has a paragraph for each.
 */

interface Refusal {
  readonly status: number;
  /** Of REST's bodies. */
  readonly code: string;
  /** The first sentence of a body. */
  readonly summary: string;
  /** `extensions.code` of GraphQL, where it is not the key of the row. */
  readonly extension?: string;
}

/** What may be said to a client; the keys are what GraphQL has as `extensions.code`. */
export const codes = {
  UNAUTHENTICATED: { status: 401, code: 'unauthorized', summary: 'Unauthorized' },
  FORBIDDEN: { status: 403, code: 'forbidden', summary: 'Forbidden' },
  INSUFFICIENT_SCOPE: { status: 403, code: 'insufficient_scope', summary: 'Forbidden' },
  NOT_FOUND: { status: 404, code: 'not_found', summary: 'Resource could not be found' },
  NO_ROUTE: { status: 404, code: 'no_route', summary: 'Resource could not be found' },
  CONFLICT: { status: 409, code: 'conflict', summary: 'Conflict' },
  CURSOR_GONE: { status: 410, code: 'gone', summary: 'Gone' },
  GONE: { status: 410, code: 'gone', summary: 'Gone' },
  METHOD_NOT_ALLOWED: { status: 405, code: 'method_not_allowed', summary: 'Method not allowed' },
  BAD_USER_INPUT: { status: 400, code: 'bad_request', summary: 'Bad request' },
  MALFORMED_JSON: {
    status: 400,
    code: 'malformed_json',
    summary: 'Bad request',
    extension: 'BAD_USER_INPUT',
  },
  REQUEST_TIMEOUT: { status: 408, code: 'request_timeout', summary: 'Request timeout' },
  PRECONDITION_FAILED: { status: 412, code: 'precondition_failed', summary: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, code: 'payload_too_large', summary: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    code: 'unsupported_media_type',
    summary: 'Unsupported media type',
  },
  EXPECTATION_FAILED: { status: 417, code: 'expectation_failed', summary: 'Expectation failed' },
  VALIDATION_FAILED: { status: 422, code: 'validation_failed', summary: 'Validation failed' },
  INVALID_SEARCH: { status: 422, code: 'invalid_search', summary: 'Invalid search parameters' },
  TOO_MANY_REQUESTS: { status: 429, code: 'too_many_requests', summary: 'Too many requests' },
  HEADERS_TOO_LARGE: {
    status: 431,
    code: 'headers_too_large',
    summary: 'Request header fields too large',
  },
  INTERNAL_SERVER_ERROR: { status: 500, code: 'internal', summary: 'Internal server error' },
  UNAVAILABLE: { status: 503, code: 'unavailable', summary: 'Service unavailable' },
} as const satisfies Readonly<Record<string, Refusal>>;

export type Code = keyof typeof codes;

/** The `extensions.code` of a refusal. */
export function extensionOf(code: Code): string {
  const refusal: Refusal = codes[code];
  return refusal.extension ?? code;
}

/** The `extensions.code` of GraphQL for documents that are not run at all, as Apollo calls them. */
export const documentCodes = [
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'BAD_REQUEST',
  'PERSISTED_QUERY_NOT_FOUND',
] as const;

/** What may be wrong with one field. */
export const fieldCodes = [
  'blank',
  'invalid',
  'taken',
  'not_found',
  'mismatch',
  'too_short',
  'too_long',
  'too_small',
  'too_large',
  'too_many',
  'not_in_list',
  'unknown_field',
  'misplaced',
  'read_only',
  'in_use',
  'no_predicate',
  'unknown_predicate',
  'unknown_attribute',
] as const;

export type FieldCode = (typeof fieldCodes)[number];

/** A message about a field that has another code than `invalid`. */
export interface CodedMessage {
  readonly code: FieldCode;
  readonly message: string;
}

/** What is wrong with a field: the end of a sentence about it, which is `invalid` unless it says otherwise. */
export type Problem = string | CodedMessage;

export const coded = (code: FieldCode, message: string): CodedMessage => ({ code, message });

export const codeOf = (problem: Problem): FieldCode =>
  typeof problem === 'string' ? 'invalid' : problem.code;

export const messageOf = (problem: Problem): string =>
  typeof problem === 'string' ? problem : problem.message;

export const mustExist = coded('not_found', 'must exist');
export const blank = coded('blank', "can't be blank");
export const alreadyTaken = coded('taken', 'has already been taken');

/** @param values those that there are */
export const notInList = (values: readonly string[]): CodedMessage =>
  coded('not_in_list', `is not included in the list (${values.join(', ')})`);

export const atLeast = (min: number): CodedMessage =>
  coded('too_small', `must be greater than or equal to ${min}`);

export const atMost = (max: number): CodedMessage =>
  coded('too_large', `must be less than or equal to ${max}`);
