import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Fault } from '../errors.ts';
import { errorText, retryAfter } from './errors.ts';
import { isHealthCheck } from './health.ts';
import { requestId } from './request_id.ts';

/**
 * How long a refusal is held back, in milliseconds. Clients that hammer would otherwise spend the
 * processor on being refused: with the pause each of them can ask a few times a second and no more.
 * The more of them there are the longer they wait, so that of thousands about one thousand a second
 * ask again, and some longer than others, so that those who came together do not come back
 * together.
 */
const pause = { least: 250, most: 8000, each: 1 } as const;

/** How often refusals are told to the log, in milliseconds: a line for each would cost more than it. */
const tellingMs = 1000;

const overloaded = new Fault('UNAVAILABLE', ['The service is overloaded']);

/**
 * Bounds the requests that are worked on at once: past the bound more of them would not be
 * answered sooner, all of them would be answered later. What is over it gets a 503, before
 * anything else is done about it: only health checks are always answered.
 */
export class LoadBound {
  readonly #most: number;
  readonly #log: Pick<FastifyBaseLogger, 'warn'>;
  #inFlight = 0;
  /** Of the requests in flight, how many each connection has. */
  readonly #places = new WeakMap<Socket, { taken: number }>();
  /** Connections with a refusal that is held back. */
  readonly #waiting = new WeakSet<Socket>();
  /** Refusals that are held back. */
  #held = 0;
  /** Refusals that the log was not told of. */
  #untold = 0;
  #refused = 0;

  /** @param most requests in flight */
  constructor(most: number, log: Pick<FastifyBaseLogger, 'warn'>) {
    this.#most = most;
    this.#log = log;
  }

  /** How many requests were refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** A listener that passes on what the bound lets through. */
  before(listener: RequestListener): RequestListener {
    return (request, response) => {
      if (this.#isPast(request)) this.#refuse(request, response);
      else listener(request, response);
    };
  }

  /** Counts the requests that a server works on. */
  count(server: FastifyInstance): void {
    // Only what has come whole takes a place: a client that never sends the rest of its body is
    // no work.
    server.addHook('preHandler', (request, reply, done) => {
      if (isHealthCheck(request.raw)) return done();
      // Its client hung up while we found out who it is: nobody would be told that it ended.
      if (request.raw.socket.destroyed) return void reply.hijack();
      if (this.#isPast(request.raw)) {
        reply.hijack();
        return this.#refuse(request.raw, reply.raw);
      }
      this.#take(request.raw.socket, reply.raw);
      done();
    });
  }

  /**
   * A place is given back with the answer, or with the connection: answers that wait there for one
   * before them do not hear of its end.
   */
  #take(socket: Socket, response: ServerResponse): void {
    const known = this.#places.get(socket);
    const places = known ?? { taken: 0 };
    if (!known) {
      this.#places.set(socket, places);
      socket.once('close', () => {
        this.#inFlight -= places.taken;
        places.taken = 0;
      });
    }
    this.#inFlight += 1;
    places.taken += 1;
    response.once('close', () => {
      if (places.taken === 0) return;
      this.#inFlight -= 1;
      places.taken -= 1;
    });
  }

  #isPast(request: IncomingMessage): boolean {
    return this.#inFlight >= this.#most && !isHealthCheck(request);
  }

  #refuse(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    // Who does not wait for an answer before asking again could have us hold any number of them.
    if (this.#waiting.has(socket)) return void socket.destroy();
    this.#waiting.add(socket);
    if (this.#untold === 0) setTimeout(() => this.#tell(), tellingMs).unref();
    this.#untold += 1;
    this.#refused += 1;
    this.#held += 1;
    const usual = Math.min(pause.most, pause.least + pause.each * this.#held);
    setTimeout(
      () => {
        this.#held -= 1;
        this.#waiting.delete(socket);
        const id = requestId(request);
        const text = errorText(overloaded, id);
        response.writeHead(503, {
          'content-type': 'application/json; charset=utf-8',
          'content-length': Buffer.byteLength(text),
          'retry-after': retryAfter,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'x-request-id': id,
        });
        response.end(text);
      },
      usual * (0.8 + 0.4 * Math.random()),
    );
  }

  #tell(): void {
    const requests = this.#untold;
    this.#untold = 0;
    this.#log.warn({ requests }, 'refused requests, the service is overloaded');
  }
}
