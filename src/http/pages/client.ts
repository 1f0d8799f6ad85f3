/** The client that is made of this very version. */
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { packageDirectory } from '../../lib/directories.ts';
import { contentTag, isKnown } from '../headers/etag.ts';

/** Adds `GET /client.tgz`, an npm package, which is compressed already. */
export function addClient(server: FastifyInstance): void {
  const content = readFileSync(new URL('dist/client.tgz', packageDirectory));
  const tag = contentTag(content);
  server.get('/client.tgz', async (request, reply) => {
    reply.headers({ etag: tag, 'cache-control': 'no-cache' });
    if (isKnown(request, tag)) return reply.status(304).send();
    return reply.type('application/gzip').send(content);
  });
}
