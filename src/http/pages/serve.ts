import type { FastifyInstance } from 'fastify';

/** Answers GET and HEAD of an address with the same content for everyone. */
export function serve(
  server: FastifyInstance,
  url: string,
  headers: Readonly<Record<string, string>>,
  content: Buffer | string,
): void {
  // Made once: those who do not read it hold nothing of their own.
  const bytes = Buffer.from(content);
  server.get(url, (_, reply) => reply.headers(headers).send(bytes));
}
