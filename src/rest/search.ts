/** The parts of a search: of the body, and of the query string where the body has none. */
import { coded } from '../errors/codes.ts';
import { didYouMean } from '../errors/did_you_mean.ts';
import { maxNamed, type UnknownInput } from '../errors/errors.ts';
import { bodyObject } from '../http/body.ts';
import type { JsonObject } from '../json/json.ts';
import { parameters, queryString } from './query_string.ts';
import type { Readable } from './request.ts';

const parts: readonly string[] = ['query', 'page', 'per_page', 'after', 'count'];

/** Those that say which page is wanted. */
const paging: readonly string[] = parts.slice(1);

/** Leaves out what says which page is wanted where it is empty, as forms send it. */
export function withoutEmpty(values: JsonObject): JsonObject {
  if (!paging.some((name) => values[name] === '')) return values;
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== '' || !paging.includes(name)),
  );
}

/** The parts of a search as they were sent, and what was sent beside them. */
export interface SearchRequest {
  /** The parameters of the query string. */
  readonly url: JsonObject;
  readonly args: JsonObject;
  readonly misplaced: readonly UnknownInput[];
}

/**
 * Reads a search. One that ignored what it does not know would answer with the whole account.
 * @param besides parameters of the query string that do not belong to the search
 * @throws {Fault} VALIDATION_FAILED for a body that is not an object
 */
export function searchOf(request: Readable, besides: readonly string[]): SearchRequest {
  const text = queryString(request);
  const url = withoutEmpty(parameters(text));
  const body = request.method === 'POST' ? withoutEmpty(bodyObject(request.body)) : {};
  const misplaced = [
    ...unknownIn(body, parts, misplacedMessage),
    ...misplacedIn(url, text, [...parts, ...besides], misplacedMessage),
  ];
  if (request.method !== 'POST' && hasBody(request)) {
    const message = coded('misplaced', 'is not read with GET: send the search with POST');
    misplaced.push({ name: 'body', message });
  }
  const args = {
    query: body.query ?? url.query,
    page: body.page ?? url.page,
    per_page: body.per_page ?? url.per_page,
    after: body.after ?? url.after,
    count: body.count ?? url.count,
  };
  return { url, args, misplaced };
}

/**
 * The parameters of a query string that are unknown there.
 * @param known names of its parameters
 * @param message about an unknown one
 */
export const misplacedIn = (
  url: JsonObject,
  text: string,
  known: readonly string[],
  message: string,
): UnknownInput[] => [...unknownIn(url, known, message), ...unread(text)];

const unknownIn = (values: JsonObject, known: readonly string[], message: string): UnknownInput[] =>
  Object.keys(values)
    .filter((name) => !known.includes(name))
    .slice(0, maxNamed)
    .map((name) => ({
      name,
      message: coded('unknown_field', `${message}${didYouMean(name, known)}`),
    }));

const misplacedMessage =
  'is not part of a search: conditions and the order (s) stand in query, beside page, per_page, after and count';

/** Names of JavaScript's own are dropped in reading a query string, but no condition may be lost. */
const unread = (text: string): UnknownInput[] =>
  text.includes('__proto__') &&
  [...new URLSearchParams(text).keys()].some((name) => name.includes('__proto__'))
    ? [{ name: '__proto__', message: coded('unknown_attribute', 'is not a searchable attribute') }]
    : [];

const hasBody = ({ headers }: Readable): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
