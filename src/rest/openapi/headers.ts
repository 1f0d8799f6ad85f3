/** The headers that answers carry, and what requests send for some of them. */
import { countHeader, cursorHeader, matchHeader, nextHeader } from '../cursor.ts';
import { totalHeader } from '../export/register.ts';
import { cursor, requestId } from './examples.ts';
import type { Schema } from './schema.ts';

/** Headers about fields that were sent but that the record does not have. */
export const aboutFields = ['X-Ignored-Fields', 'Preference-Applied'];

/** Header on answers that were given before. */
export const replayed = 'Idempotent-Replayed';

/** Headers that answers carry. */
export const headers: Readonly<Record<string, Schema>> = {
  'X-Request-Id': header('Names the request in answers and in the log.', requestId),
  RateLimit: header(
    'How many requests the token has left (`r`), and for how many seconds (`t`).',
    '"default";r=59321;t=42',
    false,
  ),
  'RateLimit-Policy': header(
    'How many requests a token may make (`q`) in how many seconds (`w`).',
    '"default";q=60000;w=60',
    false,
  ),
  'WWW-Authenticate': header(
    'How to authenticate; with a 403, which scope the token lacks.',
    'Bearer',
    false,
  ),
  'Retry-After': header('Seconds after which to try again.', '1'),
  'X-Ignored-Fields': header(
    'Fields sent that the record does not have, percent-encoded; 1 KiB of them at most.',
    'fullname, prise',
    false,
  ),
  'Preference-Applied': header(
    'Says which preference was heeded: `handling=strict`, `dry-run`, `replica`.',
    'handling=strict',
    false,
  ),
  [replayed]: header(
    'Where the request came with an `Idempotency-Key` and was answered before: this is that answer.',
    'true',
    false,
  ),
  [cursorHeader]: header(
    'Where the search was asked for it: the cursor of `changes` from which on what it found may have changed.',
    cursor,
    false,
  ),
  'Accept-Patch': header(
    'With PATCH: the content types that it takes.',
    'application/json, application/merge-patch+json',
    false,
  ),
  [nextHeader]: header(
    'Where the next page begins, to be sent as `after`; missing on the last page.',
    'WyJpZCsiLDEwLDddNw',
    false,
  ),
  [totalHeader]: header('How many records there are in all.', '12345'),
  'Content-Disposition': header('A name to save it by.', 'attachment; filename="contacts.csv"'),
  [countHeader]: header(
    'What the `count` of the pagination is, if it is not exact: `estimate` or `at-least`.',
    'at-least',
    false,
  ),
  [matchHeader]: header(
    '`similar` where nothing has every word of `q`, and the records are only like it.',
    'similar',
    false,
  ),
  ETag: header(
    'Names the version of the record and, with GET, the answer; to be taken as it is.',
    '"1042.mJ9PyFhXp0ikZnHNPi0qF0OJV8Y"',
    false,
  ),
  Location: header('The path by which the record is read.', '/api/v1/accounts/1/contacts/7'),
  Allow: header('The methods that the path has.', 'GET, HEAD, DELETE'),
};

/** @param required whether every such answer carries it */
function header(description: string, example: string, required = true): Schema {
  return { description, required, schema: { type: 'string' }, example };
}

/** Headers of every answer, where there is a limit. */
const everywhere = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'];

export const headerReferences = (names: readonly string[]): Schema =>
  Object.fromEntries(
    [...everywhere, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

/** What a client has already. */
export const ifNoneMatch = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'An `ETag` of before: where the answer would be the same, it is a 304 without a body.',
  schema: { type: 'string' },
  example: '"1"',
};

/** What a client demands of the record that it changes or removes. */
export const preconditions = [
  {
    name: 'If-Match',
    in: 'header',
    description:
      'An `ETag` of the record, or several: where the record has changed since, the answer is a 412. `*` is any.',
    schema: { type: 'string' },
    example: '*',
  },
  {
    name: 'If-None-Match',
    in: 'header',
    description:
      'An `ETag`, or several: where the record has one of them, the answer is a 412. `*` is any, so that no record is changed.',
    schema: { type: 'string' },
    example: '"1"',
  },
];

/** From where a client that was cut off goes on. */
export const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  description:
    'Of events: the cursor to go on from, in place of `after`. Browsers send it by themselves.',
  schema: { type: 'string' },
  example: 'now',
};

/** For copies of what a search finds, which are kept up by what changes. */
export const cursorAsked = {
  name: cursorHeader,
  in: 'header',
  description:
    'Asks for the place in the feed of `changes` at which the search was made. Takes what `changes` takes.',
  schema: { type: 'string', enum: ['now'] },
  example: 'now',
};
