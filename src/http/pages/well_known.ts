/** What crawlers, browsers and people who found a hole look for at addresses of their own. */
import type { FastifyInstance } from 'fastify';
import { serve } from './serve.ts';

const text = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache' };

/** How long `security.txt` may be taken for true, in milliseconds; it is to be less than a year. */
const validity = 180 * 86_400_000;

/**
 * Adds `GET /robots.txt`, which keeps crawlers out (RFC 9309), and `GET /.well-known/security.txt` (RFC 9116).
 * @param contact whom to tell of a hole, a URL; undefined: there is no such file
 */
export function addWellKnown(server: FastifyInstance, contact: string | undefined): void {
  serve(server, '/robots.txt', text, 'User-agent: *\nDisallow: /\n');
  if (contact === undefined) return;
  server.get('/.well-known/security.txt', async (_, reply) => {
    const expires = new Date(Date.now() + validity).toISOString();
    return reply.headers(text).send(`Contact: ${contact}\nExpires: ${expires}\n`);
  });
}
