import type { FastifyInstance } from 'fastify';
import { Fault } from '../errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route answers however much there is to do, as health checks must. */
    readonly alwaysAnswered?: boolean;
  }
}

/**
 * How long a refusal is held back. Clients that hammer would otherwise spend the processor on
 * being refused: with the pause each of them can ask four times a second and no more.
 */
const pauseMs = 250;

/**
 * Bounds the requests that are worked on at once: past the bound more of them would not be
 * answered sooner, all of them would be answered later. What is over it gets a 503.
 * @param most requests in flight
 */
export function boundLoad(server: FastifyInstance, most: number): void {
  let inFlight = 0;
  const refuse = (done: (error: Error) => void) =>
    void setTimeout(() => done(new Fault('UNAVAILABLE', ['The service is overloaded'])), pauseMs);

  server.addHook('onRequest', (request, _, done) => {
    if (inFlight >= most && !request.routeOptions.config.alwaysAnswered) return refuse(done);
    done();
  });
  // Only what has come whole takes a place: a client that never sends the rest of its body is
  // no work.
  server.addHook('preHandler', (request, reply, done) => {
    if (request.routeOptions.config.alwaysAnswered) return done();
    if (inFlight >= most) return refuse(done);
    inFlight += 1;
    // However it ends, a client that hangs up included.
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
    done();
  });
}
