import type { FastifyReply } from 'fastify';

/** Adds a header of requests to those on which the answer depends (RFC 9110, 12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const others = reply.getHeader('vary');
  if (others === undefined) reply.header('vary', name);
  else if (!String(others).split(', ').includes(name)) reply.header('vary', `${others}, ${name}`);
}
