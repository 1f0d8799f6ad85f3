/** How long a request took, and where, for clients that ask by `Prefer: timing` (Server Timing, W3C). */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { wantsTiming } from './headers/preferences.ts';

/** Milliseconds that a request has spent so far. */
export interface Spent {
  /** Waiting for a connection to the database. */
  queue: number;
  /** In the database, and on the way there. */
  db: number;
}

const spent = new WeakMap<FastifyRequest, Spent>();

/** @returns where to note what a request spends; undefined where its client does not ask */
export function spentBy(request: FastifyRequest): Spent | undefined {
  if (request.headers.prefer === undefined || !wantsTiming(request)) return undefined;
  const known = spent.get(request) ?? { queue: 0, db: 0 };
  spent.set(request, known);
  return known;
}

/** Tells callers with a token, in a header of any answer. */
export function tellTimes(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    const times = request.viewer && spentBy(request);
    if (times) {
      const { queue, db } = times;
      const parts = {
        auth: request.identifyingMs,
        queue,
        db: Math.max(0, db - queue),
        total: reply.elapsedTime,
      };
      const text = Object.entries(parts).map(([name, ms]) => `${name};dur=${ms.toFixed(2)}`);
      reply.header('server-timing', text.join(', '));
    }
    done(null, payload);
  });
}
