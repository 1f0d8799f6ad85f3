import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify';
import { Fault } from '../../errors/errors.ts';
import { errorText } from '../error_body.ts';
import { refusalHeaders } from '../errors.ts';
import { requestId } from '../headers/request_id.ts';
import { isHealthCheck } from '../health.ts';
import { RefusalPause } from './refusal_pause.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request takes up a place. */
    isPlaced: boolean;
  }
}

/** How often refusals are logged, in milliseconds: a line for each would cost more than refusing. */
const tellingMs = 1000;

const overloaded = new Fault('UNAVAILABLE', ['The service is overloaded']);

/** An account, or undefined for all requests that need no token. */
type Account = number | undefined;

/**
 * Bounds the requests in hand: beyond that, taking more would answer none of them sooner and all of
 * them later. Requests over the limit get a 503 before any work is done for them. Health checks are
 * always answered. An account with less than its share of the places may go over the bound, up to
 * twice as far.
 */
export class LoadShedder {
  readonly #max: number;
  readonly #log: Pick<FastifyBaseLogger, 'warn'>;
  readonly #byAccount = new Map<Account, number>();
  #inFlight = 0;
  readonly #pause = new RefusalPause();
  /** Refusals not logged yet. */
  #untold = 0;
  #refused = 0;
  #refusedShares = 0;

  /** @param max requests in flight */
  constructor(max: number, log: Pick<FastifyBaseLogger, 'warn'>) {
    this.#max = max;
    this.#log = log;
  }

  /** How many requests have been refused. */
  get refused(): number {
    return this.#refused;
  }

  /** How many of them because their account had used up its share while others had places left. */
  get refusedShares(): number {
    return this.#refusedShares;
  }

  /** A listener that passes on what the bound admits. */
  before(listener: RequestListener): RequestListener {
    return (request, response) => {
      // Then nobody has a share left, so there is no need to find out whose request it is.
      const isPast = this.#inFlight >= 2 * this.#max && !isHealthCheck(request);
      if (isPast) this.#refuse(request, response);
      else listener(request, response);
    };
  }

  /** Counts the requests that a server has in hand: until their answers are built, read or not. */
  count(server: FastifyInstance): void {
    server.decorateRequest('isPlaced', false);
    // Only a complete request takes a place: a client that never sends the rest of its body causes
    // no work.
    server.addHook('preHandler', (request, reply, done) => {
      if (isHealthCheck(request.raw)) return done();
      // Its client hung up while we found out who it is.
      if (request.raw.socket.destroyed) return void reply.hijack();
      const account = request.viewer?.accountId;
      if (!this.#admits(account)) {
        reply.hijack();
        return this.#refuse(request.raw, reply.raw);
      }
      request.isPlaced = true;
      this.#inFlight += 1;
      this.#byAccount.set(account, (this.#byAccount.get(account) ?? 0) + 1);
      done();
    });
    server.addHook('onSend', (request, _reply, _payload, done) => {
      this.leave(request);
      done();
    });
  }

  /** Gives back the place of a request, if it has one, before its answer is built. */
  leave(request: Pick<FastifyRequest, 'viewer' | 'isPlaced'>): void {
    if (request.isPlaced) this.#leave(request.viewer?.accountId);
    request.isPlaced = false;
  }

  #admits(account: Account): boolean {
    const own = this.#byAccount.get(account) ?? 0;
    const present = this.#byAccount.size + (own === 0 ? 1 : 0);
    if (this.#inFlight >= this.#max) {
      return this.#inFlight < 2 * this.#max && own < this.#max / present;
    }
    // An account may take all places while nobody else has any.
    if (present === 1 || own < this.#max / 2) return true;
    this.#refusedShares += 1;
    return false;
  }

  #leave(account: Account): void {
    this.#inFlight -= 1;
    const rest = (this.#byAccount.get(account) ?? 0) - 1;
    if (rest > 0) this.#byAccount.set(account, rest);
    else this.#byAccount.delete(account);
  }

  #refuse(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const isHeld = this.#pause.hold(socket, () => {
      const id = requestId(request);
      const text = errorText(overloaded, id);
      response.writeHead(503, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(text),
        ...refusalHeaders(overloaded),
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
        'x-request-id': id,
      });
      response.end(text);
    });
    if (!isHeld) return void socket.destroy();
    if (this.#untold === 0) setTimeout(() => this.#tell(), tellingMs).unref();
    this.#untold += 1;
    this.#refused += 1;
  }

  #tell(): void {
    const requests = this.#untold;
    this.#untold = 0;
    this.#log.warn({ requests }, 'refused requests, the service is overloaded');
  }
}
