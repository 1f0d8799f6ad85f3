import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Fault } from '../errors.ts';
import { answerFault } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route answers however much there is to do, as health checks must. */
    readonly alwaysAnswered?: boolean;
  }
}

/**
 * How long a refusal is held back, in milliseconds. Clients that hammer would otherwise spend the
 * processor on being refused: with the pause each of them can ask four times a second and no more.
 * Some wait longer than others, so that those who came together do not come back together.
 */
const pause = { least: 200, most: 300 } as const;

/** How often refusals are told to the log, in milliseconds: a line for each would cost more than it. */
const tellingMs = 1000;

// Made once: an error takes longer to make than to send.
const overloaded = new Fault('UNAVAILABLE', ['The service is overloaded']);

/**
 * Bounds the requests that are worked on at once: past the bound more of them would not be
 * answered sooner, all of them would be answered later. What is over it gets a 503.
 * @param most requests in flight
 */
export function boundLoad(server: FastifyInstance, most: number): void {
  let inFlight = 0;
  let refused = 0;
  const tell = () => {
    server.log.warn({ requests: refused }, 'refused requests, the service is overloaded');
    refused = 0;
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    if (refused === 0) setTimeout(tell, tellingMs).unref();
    refused += 1;
    const ms = pause.least + Math.random() * (pause.most - pause.least);
    setTimeout(() => answerFault(overloaded, request, reply), ms);
  };

  server.addHook('onRequest', (request, reply, done) => {
    if (inFlight >= most && !request.routeOptions.config.alwaysAnswered) refuse(request, reply);
    else done();
  });
  // Only what has come whole takes a place: a client that never sends the rest of its body is
  // no work.
  server.addHook('preHandler', (request, reply, done) => {
    if (request.routeOptions.config.alwaysAnswered) return done();
    if (inFlight >= most) return refuse(request, reply);
    inFlight += 1;
    // However it ends, a client that hangs up included.
    reply.raw.once('close', () => {
      inFlight -= 1;
    });
    done();
  });
}
