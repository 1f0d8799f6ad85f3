import type { FastifyInstance } from 'fastify';
import { Fault } from '../../errors.ts';

/**
 * Answers GET and HEAD of an address with the same content for everyone; other methods are
 * refused with 405.
 */
export function serve(
  server: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>>,
  content: Buffer | string,
): void {
  // Made once: those who do not read it hold nothing of their own.
  const bytes = Buffer.from(content);
  server.get(url, (_, reply) => reply.headers(headers).send(bytes));
  server.route({
    method: ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    url,
    handler: (_, reply) => {
      reply.header('allow', 'GET, HEAD');
      throw new Fault('METHOD_NOT_ALLOWED');
    },
  });
}
