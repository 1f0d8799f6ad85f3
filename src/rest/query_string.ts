/** What stands behind the `?` of an address. */
import type { FastifyRequest } from 'fastify';
import { parse } from 'qs';
import { Fault } from '../errors/errors.ts';
import type { JsonObject } from '../json/json.ts';

const nothing: JsonObject = {};

/**
 * The query string of a request, without its question mark.
 * @throws {Fault} BAD_USER_INPUT where it is not UTF-8 or has a broken escape: what is read of it otherwise is
 *   another text, which finds nobody
 */
export function queryString({ url }: Pick<FastifyRequest, 'url'>): string {
  const mark = url.indexOf('?');
  if (mark === -1) return '';
  const text = url.slice(mark + 1);
  if (!text.includes('%')) return text;
  try {
    decodeURIComponent(text);
    return text;
  } catch {
    throw new Fault('BAD_USER_INPUT', [
      'The query string is not UTF-8 with each special byte as % and two hexadecimal digits',
    ]);
  }
}

/**
 * The parameters of a query string, with objects and lists as brackets write them; one without a name under
 * an empty one, which the parser would drop.
 */
export function parameters(text: string): JsonObject {
  if (text === '') return nothing;
  const values = parse(text, {
    depth: 32,
    arrayLimit: 1000,
    parameterLimit: 10_000,
    plainObjects: true,
  });
  const [, value] = nameless.exec(text) ?? [];
  return value === undefined ? values : { ...values, '': value };
}

const nameless = /(?:^|&)=([^&]*)/;
