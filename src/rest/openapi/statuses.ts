/** The refusals of requests: one body for all, and when to expect each status. */

import { rightOf } from '../../auth/policy.ts';
import {
  type Code,
  codes,
  InsufficientScope,
  notJson,
  preconditionFailed,
  tooLarge,
} from '../../errors/errors.ts';
import { problemType } from '../../http/error_body.ts';
import { isWrite, type Route } from '../routes.ts';
import { reference } from './error_schemas.ts';
import { requestId } from './examples.ts';
import { aboutFields, headerReferences, replayed } from './headers.ts';
import type { Schema } from './schema.ts';

interface Refusal {
  readonly code: Code;
  /** Its name among the components. */
  readonly name: string;
  readonly description: string;
  /** Headers that it comes with beside those of every answer. */
  readonly headers?: readonly string[];
  /** What a body says beyond the summary. */
  readonly says?: {
    readonly errors: readonly string[];
    readonly fields?: Schema;
    readonly codes?: Schema;
  };
  readonly when: (route: Route) => boolean;
}

const always = () => true;
const carriesBody = ({ method, body }: Route) => body !== undefined && method !== 'GET';

/** Whether a route changes or removes the record that its path names. */
export const changesRecord = ({ method }: Route): boolean => method !== 'GET' && method !== 'POST';

const lackingScope =
  'the token lacks a scope that the request takes, or the proxy got it without TLS.';

const refusals: readonly Refusal[] = [
  {
    code: 'MALFORMED_JSON',
    name: 'BadRequest',
    description:
      'The body is not JSON, the query string not UTF-8 in percent-encoding, or the request cannot be read or names no host.',
    says: { errors: ['The request body is not valid JSON'] },
    when: carriesBody,
  },
  {
    code: 'BAD_USER_INPUT',
    name: 'Unreadable',
    description:
      'The request cannot be read, its query string is not UTF-8 in percent-encoding, or it names no host.',
    says: { errors: ['Host is missing'] },
    when: (route) => !carriesBody(route),
  },
  {
    code: 'UNAUTHENTICATED',
    name: 'Unauthorized',
    description: 'The token is missing, malformed, expired or revoked.',
    headers: ['WWW-Authenticate'],
    when: always,
  },
  {
    code: 'FORBIDDEN',
    name: 'AdminsOnly',
    description: `The token's user is not an admin, or ${lackingScope}`,
    headers: ['WWW-Authenticate'],
    when: ({ action }) => rightOf(action).role === 'admin',
  },
  {
    code: 'INSUFFICIENT_SCOPE',
    name: 'ScopeLacking',
    description: `T${lackingScope.slice(1)}`,
    headers: ['WWW-Authenticate'],
    says: { errors: new InsufficientScope(['contacts:read']).messages },
    when: ({ action }) => rightOf(action).role === 'member' && rightOf(action).scope !== null,
  },
  {
    code: 'FORBIDDEN',
    name: 'Forbidden',
    description: 'The proxy in front of the service got the request without TLS.',
    when: ({ action }) => rightOf(action).scope === null,
  },
  {
    code: 'NOT_FOUND',
    name: 'NotFound',
    description: "The account is not the token's user's, or it has no such record.",
    when: always,
  },
  {
    code: 'CONFLICT',
    name: 'AtWork',
    description: 'Another request with this `Idempotency-Key` is still at work.',
    headers: ['Retry-After'],
    when: isWrite,
  },
  {
    code: 'GONE',
    name: 'AnswerGone',
    description:
      'A request with this `Idempotency-Key` was answered before, and what it was told of was erased since.',
    when: isWrite,
  },
  {
    code: 'CURSOR_GONE',
    name: 'Gone',
    description:
      'What follows the cursor is not known any more: it was pruned, or the database restored.',
    when: ({ isFollowed = false }) => isFollowed,
  },
  {
    code: 'CURSOR_GONE',
    name: 'PlaceGone',
    description:
      'The record that the cursor named has changed, and its text was too long for the cursor.',
    when: ({ body }) => body === 'search',
  },
  {
    code: 'METHOD_NOT_ALLOWED',
    name: 'MethodNotAllowed',
    description: 'The path has other methods than the one of the request.',
    headers: ['Allow'],
    when: always,
  },
  {
    code: 'REQUEST_TIMEOUT',
    name: 'RequestTimeout',
    description: 'The request did not come whole in time.',
    when: always,
  },
  {
    code: 'PRECONDITION_FAILED',
    name: 'PreconditionFailed',
    description:
      'The record has not the version that `If-Match` names, or has the one that `If-None-Match` names.',
    says: { errors: preconditionFailed().messages },
    when: changesRecord,
  },
  {
    code: 'PAYLOAD_TOO_LARGE',
    name: 'PayloadTooLarge',
    description: 'The body is larger than the service takes, or unpacks to more.',
    says: { errors: tooLarge(1024 * 1024).messages },
    when: ({ method }) => method !== 'GET',
  },
  {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    name: 'UnsupportedMediaType',
    description:
      'The body is not sent as application/json (PATCH: or merge-patch+json), plain or as gzip.',
    headers: ['Accept-Patch'],
    says: { errors: notJson().messages },
    when: carriesBody,
  },
  {
    code: 'EXPECTATION_FAILED',
    name: 'ExpectationFailed',
    description: 'The request expects more than `100-continue`.',
    when: always,
  },
  {
    code: 'VALIDATION_FAILED',
    name: 'ValidationFailed',
    description: 'What was sent is not valid.',
    headers: [...aboutFields, replayed],
    says: {
      errors: ['Email is invalid'],
      fields: { email: ['is invalid'] },
      codes: { email: ['invalid'] },
    },
    when: (route) => isWrite(route) || route.isFollowed === true,
  },
  {
    code: 'VALIDATION_FAILED',
    name: 'AnswerTooLarge',
    description: 'The record, with all that belongs to it, is too large for one answer.',
    says: { errors: ['The answer would have more than 32 MiB'] },
    when: ({ method, body, isFollowed }) => method === 'GET' && !body && !isFollowed,
  },
  {
    code: 'INVALID_SEARCH',
    name: 'InvalidSearch',
    description: 'The search has keys, values, an order or a page that cannot be read.',
    says: {
      errors: ['id_eq: is not an integer'],
      fields: { id_eq: ['is not an integer'] },
      codes: { id_eq: ['invalid'] },
    },
    when: ({ body }) => body === 'search',
  },
  {
    code: 'TOO_MANY_REQUESTS',
    name: 'TooManyRequests',
    description:
      'The token has made too many requests within a minute, or its account has as much waiting as it may: answers stored for an `Idempotency-Key`, deliveries of webhooks, or answers held back.',
    headers: ['Retry-After'],
    when: always,
  },
  {
    code: 'HEADERS_TOO_LARGE',
    name: 'HeadersTooLarge',
    description: 'The headers are larger than the service takes.',
    when: always,
  },
  {
    code: 'INTERNAL_SERVER_ERROR',
    name: 'InternalServerError',
    description: 'A fault of the service; its log tells more under the request id.',
    when: always,
  },
  {
    code: 'UNAVAILABLE',
    name: 'Unavailable',
    description: 'The service is overloaded, shutting down, or without its database.',
    headers: ['Retry-After'],
    when: always,
  },
];

/** Every refusal by its name. */
export const refusalResponses: Readonly<Record<string, Schema>> = Object.fromEntries(
  refusals.map(({ code, name, description, headers: names = [], says }) => {
    const { status, summary, code: refused } = codes[code];
    const schema = reference(status === 422 ? 'Invalid' : 'Error');
    const example = {
      error: summary,
      code: refused,
      errors: [summary],
      ...says,
      request_id: requestId,
    };
    const content = {
      'application/json': { schema, example },
      [problemType]: { schema: reference('Problem') },
    };
    return [name, { description, headers: headerReferences(names), content }];
  }),
);

/** References to the refusals that a route may answer with, by status. */
export const refusalsOf = (route: Route): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    refusals
      .filter(({ when }) => when(route))
      .map(({ code, name }) => [codes[code].status, { $ref: `#/components/responses/${name}` }]),
  );
