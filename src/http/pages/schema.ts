import type { FastifyInstance } from 'fastify';
import type { Verifier } from '../../auth/verifier.ts';
import { identify } from '../authentication.ts';
import { serve } from './serve.ts';

/**
 * Adds `GET /schema.graphql`, to generate clients from.
 * @param sdl the schema as its authors wrote it
 * @param verifier whose tokens are asked for; undefined where everybody may read it
 */
export function addSchema(server: FastifyInstance, sdl: string, verifier?: Verifier): void {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': verifier ? 'no-store' : 'no-cache',
  };
  serve(server, '/schema.graphql', headers, sdl, {
    ...(verifier && {
      onRequest: async (request, reply) => void (await identify(request, reply, verifier)),
    }),
  });
}
