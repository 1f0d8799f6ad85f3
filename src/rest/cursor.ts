/** What a search says in headers, because the form of its body is fixed by the REST interface. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context/context.ts';
import type { Route } from './routes.ts';

/** Asks a search for its place in the feed of changes, and answers with it. */
export const cursorHeader = 'X-Changes-Cursor';

/** Where the next page begins, as long as there is one. */
export const nextHeader = 'X-Next-Cursor';

/** What the numbers of the pagination are, when they are not exact. */
export const countHeader = 'X-Count';

/** That the records are only like what was typed, because nothing matches it. */
export const matchHeader = 'X-Match';

/** Says in headers where a page lies, if a search has found one. */
export function setPageHeaders({ page }: FastifyRequest, reply: FastifyReply): void {
  if (!page) return;
  if (page.next_cursor !== null) reply.header(nextHeader, page.next_cursor);
  if (page.match === 'SIMILAR') reply.header(matchHeader, 'similar');
  if (page.counted !== 'exact') reply.header(countHeader, page.counted.replace('_', '-'));
}

/** The context of a request, whose search may ask for its place in the feed. */
export function withCursorRequest(
  context: Context,
  { body }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Context {
  if (body !== 'search') return context;
  const header = request.headers[cursorHeader.toLowerCase()];
  if (header === undefined) return context;
  if (header === 'now') {
    const noteCursor = (cursor: string) => void reply.header(cursorHeader, cursor);
    return { ...context, noteCursor };
  }
  const refused = { name: cursorHeader, message: 'can only be now' };
  return { ...context, misplaced: [...context.misplaced, refused] };
}
