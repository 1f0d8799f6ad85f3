/**
 * How many requests a caller has left: a number for each minute, which begins with the first
 * request in it. They are counted by this process, or by the one that started it and counts for all
 * of its workers.
 */
import { LRUCache } from 'lru-cache';

const windowMs = 60_000;

/** At most this many callers are counted; the one that has not called for longest is forgotten first. */
const maxCallers = 10_000;

/** Requests that a caller may make until its minute is over. */
export interface Share {
  /** How many were given; 0 when none are left. */
  given: number;
  /** How many are left beside them. */
  left: number;
  /** When the minute is over, in milliseconds since 1970. */
  readonly until: number;
}

interface Minute {
  left: number;
  readonly until: number;
}

/** Counts the requests of callers. */
export class Counters {
  readonly #limit: number;
  readonly #minutes = new LRUCache<string, Minute>({ max: maxCallers });

  /** @param limit requests of a caller in a minute */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes as many of a caller's requests as there are, up to `wanted`. */
  take(caller: string, count: number): Share {
    const now = Date.now();
    let minute = this.#minutes.get(caller);
    if (!minute || minute.until <= now) {
      minute = { left: this.#limit, until: now + windowMs };
      this.#minutes.set(caller, minute);
    }
    const share = Math.min(count, minute.left);
    minute.left -= share;
    return { given: share, left: minute.left, until: minute.until };
  }

  /** Gives back what was taken in a minute and not used. */
  giveBack(caller: string, unused: number, until: number): void {
    const minute = this.#minutes.get(caller);
    if (minute?.until === until) minute.left += unused;
  }
}

/**
 * What a worker asks the process that started it, which counts for all: a share, or that it takes
 * one back.
 */
export type QuotaRequest =
  | { readonly shareFor: string }
  | { readonly unused: number; readonly of: string; readonly until: number };

/** What that process answers to the first. */
export interface QuotaReply {
  readonly share: Share;
  readonly caller: string;
}

export const isQuotaRequest = (message: unknown): message is QuotaRequest =>
  typeof message === 'object' && message !== null && ('shareFor' in message || 'unused' in message);

export const isQuotaReply = (message: unknown): message is QuotaReply =>
  typeof message === 'object' && message !== null && 'share' in message;

/** A worker gets this fraction of its even share of what is left: one part of `parts`. */
const parts = 20;

/**
 * Answers a worker. It gets more than one request at a time where many are left, so that it need
 * not ask for each of them, and fewer the fewer there are.
 */
export function answer(
  allowances: Counters,
  workers: number,
  request: QuotaRequest,
): QuotaReply | undefined {
  if ('unused' in request) {
    allowances.giveBack(request.of, request.unused, request.until);
    return undefined;
  }
  const caller = request.shareFor;
  const one = allowances.take(caller, 1);
  const more = allowances.take(caller, Math.floor(one.left / (workers * parts)));
  return { caller, share: { ...more, given: one.given + more.given } };
}

/** How long a worker keeps what it does not use, in milliseconds: another one may have use for it. */
const keptMs = 250;

/** The shares that a worker has of what another process counts. */
export class WorkerQuota {
  readonly #ask: (request: QuotaRequest) => void;
  readonly #shares = new Map<string, Share>();
  readonly #waiting = new Map<string, ((share: Share) => void)[]>();

  /** @param ask sends a question to the process that counts, whose answers go to {@link receive} */
  constructor(ask: (request: QuotaRequest) => void) {
    this.#ask = ask;
  }

  /** Takes one request of a caller; `given` is 0 where none is left. */
  take(caller: string): Share | Promise<Share> {
    const share = this.#shares.get(caller);
    if (share && share.given > 0 && share.until > Date.now()) return oneOf(share);
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(caller);
      if (waiting) return void waiting.push(resolve);
      this.#waiting.set(caller, [resolve]);
      this.#ask({ shareFor: caller });
    });
  }

  receive({ caller, share }: QuotaReply): void {
    const waiting = this.#waiting.get(caller) ?? [];
    if (share.given === 0) {
      this.#waiting.delete(caller);
      for (const resolve of waiting) resolve(share);
      return;
    }
    for (const resolve of waiting.splice(0, share.given)) resolve(oneOf(share));
    if (waiting.length > 0) this.#ask({ shareFor: caller });
    else this.#waiting.delete(caller);
    if (share.given > 0) this.#keep(caller, share);
  }

  #keep(caller: string, share: Share): void {
    this.#shares.set(caller, share);
    setTimeout(() => {
      if (this.#shares.get(caller) === share) this.#shares.delete(caller);
      const { given: unused, until } = share;
      share.given = 0;
      if (unused > 0) this.#ask({ unused, of: caller, until });
    }, keptMs).unref();
  }
}

function oneOf(share: Share): Share {
  share.given -= 1;
  return { given: 1, left: share.left + share.given, until: share.until };
}
