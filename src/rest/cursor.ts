import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Route } from './routes.ts';

/** Asks a search for the place in the feed of changes at which it was made, and tells it. */
export const cursorHeader = 'X-Changes-Cursor';

/** The context of a request that may ask for that. */
export function askingCursor(
  context: Context,
  { takes }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Context {
  const asked = request.headers[cursorHeader.toLowerCase()];
  if (asked === undefined || takes !== 'search') return context;
  if (asked === 'now') {
    return { ...context, noteCursor: (cursor) => void reply.header(cursorHeader, cursor) };
  }
  const refused = { name: cursorHeader, message: 'can only be now' };
  return { ...context, misplaced: [...context.misplaced, refused] };
}
