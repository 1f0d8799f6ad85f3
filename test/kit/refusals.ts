/** Whole error bodies, by their reason. */
import { expect } from '@jest/globals';

const requestId = expect.stringMatching(/^[\w.:-]{1,128}$/);

const refusal = (error: string, code: string) => ({
  error,
  code,
  errors: expect.arrayContaining([expect.stringMatching(/\S/)]),
  request_id: requestId,
});

export const unauthorized = {
  ...refusal('Unauthorized', 'unauthorized'),
  errors: ['A valid token is needed, sent as Authorization: Bearer <token>'],
};
export const forbidden = { ...refusal('Forbidden', 'forbidden'), errors: ['Forbidden'] };
/** 403 of a token that was given less. */
export const lacking = (...scopes: readonly string[]) => ({
  ...refusal('Forbidden', 'insufficient_scope'),
  errors: [`The token lacks the scope${scopes.length === 1 ? '' : 's'} ${scopes.join(', ')}`],
});
export const notFound = {
  ...refusal('Resource could not be found', 'not_found'),
  errors: ['Resource could not be found'],
};
/** 404 of a path that there is not. */
export const noRoute = {
  ...refusal('Resource could not be found', 'no_route'),
  errors: [expect.stringMatching(/^No such route( \(did you mean \S+\?\))?$/)],
};
export const badRequest = refusal('Bad request', 'bad_request');
/** 400 of a body that is not JSON. */
export const malformedJson = refusal('Bad request', 'malformed_json');
export const notAllowed = refusal('Method not allowed', 'method_not_allowed');
export const tooLarge = {
  ...refusal('Payload too large', 'payload_too_large'),
  errors: [
    expect.stringMatching(
      /^The request body must not have more than \d{1,3}(,\d{3})* bytes, unpacked$/,
    ),
  ],
};
export const unsupported = {
  ...refusal('Unsupported media type', 'unsupported_media_type'),
  errors: ['Content-Type must be application/json'],
};

/** 412 of a record that is not in the version that was expected. */
export const hasChanged = {
  ...refusal('Precondition failed', 'precondition_failed'),
  errors: ['The record has changed since it was read'],
};

type Messages = Readonly<Record<string, string | readonly string[]>>;

const fieldsOf = (messages: Messages) =>
  Object.fromEntries(
    Object.entries(messages).map(([field, told]) => [
      field,
      typeof told === 'string' ? [told] : told,
    ]),
  );

/** A code for each message, whichever it is. */
export const codesFor = (messages: Messages) =>
  Object.fromEntries(
    Object.entries(fieldsOf(messages)).map(([field, told]) => [
      field,
      told.map(() => expect.stringMatching(/^[a-z_]+$/)),
    ]),
  );

/**
 * 422 with exactly these fields and messages, and as many sentences.
 * @param conflict the record that stands in the way
 */
export const invalid = (messages: Messages, conflict?: Readonly<Record<string, number>>) => ({
  ...refusal('Validation failed', 'validation_failed'),
  errors: sentences(messages),
  fields: fieldsOf(messages),
  codes: codesFor(messages),
  ...(conflict && { conflict }),
});

/** 422 of a search with exactly these keys and messages. */
export const invalidSearchOf = (messages: Messages) => ({
  ...refusal('Invalid search parameters', 'invalid_search'),
  errors: Object.entries(fieldsOf(messages)).flatMap(([key, told]) =>
    told.map((message) => `${key}: ${message}`),
  ),
  fields: fieldsOf(messages),
  codes: codesFor(messages),
});

/** 422 of a search that names exactly these keys, each with any messages. */
export const invalidSearch = (...keys: readonly string[]) => ({
  ...refusal('Invalid search parameters', 'invalid_search'),
  fields: Object.fromEntries(
    keys.map((key) => [key, expect.arrayContaining([expect.stringMatching(/\S/)])]),
  ),
  codes: Object.fromEntries(
    keys.map((key) => [key, expect.arrayContaining([expect.stringMatching(/^[a-z_]+$/)])]),
  ),
});

/** 422 that names exactly these fields, each with any messages. */
export const invalidFields = (...fields: readonly string[]) => ({
  ...invalidSearch(...fields),
  error: 'Validation failed',
  code: 'validation_failed',
});

/** As many sentences as messages, in any order: each begins with a capital, ends with a message. */
const sentences = (messages: Messages) => ({
  $$typeof: Symbol.for('jest.asymmetricMatcher'),
  asymmetricMatch: (told: unknown) => {
    const expected = Object.values(fieldsOf(messages)).flat();
    if (!Array.isArray(told) || told.length !== expected.length) return false;
    const left = told.map(String);
    return expected.every((message) => {
      const found = left.findIndex((line) => /^[A-Z]/.test(line) && line.endsWith(` ${message}`));
      if (found !== -1) left.splice(found, 1);
      return found !== -1;
    });
  },
  toString: () => 'Sentences',
  toAsymmetricMatcher: () => `Sentences<${Object.values(fieldsOf(messages)).flat().join(' | ')}>`,
});
