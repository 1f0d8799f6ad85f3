/** What stands behind the `?` of an address. */
import type { FastifyRequest } from 'fastify';
import { parse } from 'qs';
import type { JsonObject } from '../json.ts';

const nothing: JsonObject = {};

/** The query string of a request, without its question mark. */
export function queryString({ url }: FastifyRequest): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}

/**
 * The parameters of a query string, with objects and lists as brackets write them; one without a name under
 * an empty one, which the parser would drop.
 */
export function parameters(text: string): JsonObject {
  if (text === '') return nothing;
  const read = parse(text, {
    depth: 32,
    arrayLimit: 1000,
    parameterLimit: 10_000,
    plainObjects: true,
  });
  const [, value] = nameless.exec(text) ?? [];
  return value === undefined ? read : { ...read, '': value };
}

const nameless = /(?:^|&)=([^&]*)/;
