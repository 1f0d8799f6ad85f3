/** What a client prefers of how its request is handled (RFC 7240). */
import type { FastifyRequest } from 'fastify';

/**
 * Whether a request wants to be refused for what would otherwise be ignored: `Prefer:
 * handling=strict`. Of a preference that is given twice the first counts.
 */
export function isStrict({ headers: { prefer } }: Pick<FastifyRequest, 'headers'>): boolean {
  if (prefer === undefined) return false;
  for (const preference of [prefer].flat().join(',').split(',')) {
    // What follows a semicolon are parameters, which say nothing to us.
    const [stated = ''] = preference.split(';');
    const [name = '', ...values] = stated.split('=');
    if (name.trim().toLowerCase() !== 'handling') continue;
    const value = values.join('=').trim().toLowerCase();
    return value === 'strict' || value === '"strict"';
  }
  return false;
}
