/** Answers that are held back on purpose, until there is something to send. */
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { AccessWatch } from '../../auth/access_watch.ts';
import type { ParkedRequest } from '../../context/context.ts';
import { Fault, TooMany } from '../../errors/errors.ts';
import { viewerOf } from '../authentication.ts';
import type { LoadShedder } from './load_shedder.ts';

/** How many answers this process may hold back at a time. */
export interface ParkingLimits {
  readonly ofAccount: number;
  readonly ofAll: number;
}

/** What is known of a request whose answer is held back. */
type RequestToPark = Pick<FastifyRequest, 'viewer' | 'isPlaced'> & {
  readonly raw: { readonly socket: EventEmitter & Pick<Socket, 'destroyed'> };
};

/** @param connections that clients may have to the process; those not held are left for requests */
export const parkedRequestOf = (connections: number): ParkingLimits => ({
  ofAccount: Math.ceil(connections / 4),
  ofAll: Math.ceil(connections / 2),
});

/** Seconds after which an account with too many answers held back may ask again. */
const laterSeconds = 5;

/** Why holding back ended, where the answer may then be sent as it is. */
const over = 'over';

/**
 * The answers that this process holds back, up to a number for each account and for all together. They take
 * no place among the requests in hand.
 */
export class LongRequests {
  readonly #bound: LoadShedder;
  readonly #standing: AccessWatch;
  readonly #max: ParkingLimits;
  readonly #byAccount = new Map<number, number>();
  readonly #open = new Set<AbortController>();
  #isClosed = false;

  /** @param bound to which each of them gives its place back */
  constructor(bound: LoadShedder, standing: AccessWatch, max: ParkingLimits) {
    this.#bound = bound;
    this.#standing = standing;
    this.#max = max;
  }

  /** How many are held back now. */
  get open(): number {
    return this.#open.size;
  }

  /**
   * Holds an answer back until its time is over, its client has gone, its viewer may no longer have it,
   * or the process shuts down.
   * @param ms undefined: without end
   * @throws {Fault} TOO_MANY_REQUESTS when the account has too many answers held back, or as many as there are
   *   left for all accounts; UNAVAILABLE when none are left
   */
  park(request: RequestToPark, ms?: number): ParkedRequest {
    const viewer = viewerOf(request);
    const { accountId } = viewer;
    const own = this.#byAccount.get(accountId) ?? 0;
    const free = this.#max.ofAll - this.#open.size;
    if (free <= 0) throw new Fault('UNAVAILABLE', ['Too many answers are being held back']);
    // An account leaves as much as it has, so that a few of them never keep out all others.
    if (own >= Math.min(this.#max.ofAccount, free)) {
      throw new TooMany(laterSeconds, 'Too many answers to this account are being held back');
    }
    this.#bound.leave(request);
    this.#byAccount.set(accountId, own + 1);
    const ending = new AbortController();
    this.#open.add(ending);
    const end = () => ending.abort(over);
    const forget = this.#standing.watch(viewer, (why) => ending.abort(why));
    const timer = ms === undefined ? undefined : setTimeout(end, ms);
    const { socket } = request.raw;
    socket.once('close', end);
    ending.signal.addEventListener('abort', () => {
      clearTimeout(timer);
      forget();
      socket.off('close', end);
      this.#open.delete(ending);
      const rest = (this.#byAccount.get(accountId) ?? 0) - 1;
      if (rest > 0) this.#byAccount.set(accountId, rest);
      else this.#byAccount.delete(accountId);
    });
    if (this.#isClosed || socket.destroyed) end();
    return { signal: ending.signal, end };
  }

  /** Ends all of them now, and holds none back from now on. */
  close(): void {
    this.#isClosed = true;
    for (const ending of this.#open) ending.abort(over);
  }
}
