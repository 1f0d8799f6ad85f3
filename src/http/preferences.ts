/** What a client prefers of how its request is handled (RFC 7240). */
import type { FastifyRequest } from 'fastify';

/** A preference: its name, maybe a value, and parameters that say nothing to us. */
const preference = /^\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;"]*)))?\s*(?:;.*)?$/s;

/**
 * Whether a request wants to be refused for what would otherwise be ignored: `Prefer:
 * handling=strict`. Of a preference that is given twice the first counts.
 */
export function isStrict({ headers: { prefer } }: FastifyRequest): boolean {
  if (prefer === undefined) return false;
  for (const each of [prefer].flat().join(',').split(',')) {
    const [, name = '', quoted, plain] = preference.exec(each) ?? [];
    if (name.toLowerCase() === 'handling') return (quoted ?? plain)?.toLowerCase() === 'strict';
  }
  return false;
}
