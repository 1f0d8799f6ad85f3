import { FairQueue } from './fair_queue.ts';

/** The shortest pause that a timer can make, in milliseconds. */
const shortest = 1;

/**
 * How long the loop is left to everybody else, in times of what the work took. As long as it took is too
 * little: what a request of theirs needs comes in three or four turns, each of which might meet another piece.
 */
const rests = 2;

/** The longest rests, in milliseconds: of the account whose work it was, and of all others after it. */
const maxRest = { own: 1000, others: 50 } as const;

/** What may be sent to clients in one turn: it takes some two milliseconds. */
const sentInTurn = { bytes: 512 * 1024, clients: 32 } as const;

/**
 * The share of a turn that it takes to send something to one client.
 * @param bytes how much is sent
 */
export const shareToSend = (bytes: number): number =>
  Math.min(1, Math.max(1 / sentInTurn.clients, bytes / sentInTurn.bytes));

interface QueuedTurn {
  readonly accountId: number;
  readonly share: number;
  readonly begin: () => void;
}

interface Turn {
  /** When it may come, on the clock of `performance`. */
  readonly due: number;
  readonly cancel: () => void;
}

/**
 * Admits work that keeps the process busy for milliseconds: one turn of the event loop at a time and the
 * accounts in turns. An account then waits for twice as long as its work took, a second at most. Others wait as
 * long, but 50 ms at most, so that what one account does costs the next one little. All such work together gets
 * a third of the process while its pieces are short, and everything else waits for a single piece.
 */
export class EventLoopQueue {
  readonly #waiting = new FairQueue<number, QueuedTurn>();
  /** When each account may have a turn again, of those that have had one lately. */
  readonly #restsUntil = new Map<number, number>();
  #allRestUntil = 0;
  #isWorking = false;
  #next: Turn | undefined;

  /**
   * Waits for a turn of the account: for what its caller does until it waits for anything else.
   * @param share of a turn that this takes, up to 1: pieces of one account share a turn while they fit
   */
  waitForTurn(accountId: number, share = 1): Promise<void> {
    return new Promise((begin) => {
      this.#waiting.add(accountId, { accountId, share, begin });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isWorking || this.#waiting.size === 0) return;
    const due = this.#due();
    if (this.#next && this.#next.due <= due) return;
    this.#next?.cancel();
    const rest = due - performance.now();
    const work = () => this.#work();
    if (rest < shortest) {
      const immediate = setImmediate(work);
      this.#next = { due, cancel: () => clearImmediate(immediate) };
    } else {
      const timer = setTimeout(work, rest);
      this.#next = { due, cancel: () => clearTimeout(timer) };
    }
  }

  /** When the first of those that wait may have its turn. */
  #due(): number {
    let first = Number.POSITIVE_INFINITY;
    for (const owner of this.#waiting.owners()) {
      first = Math.min(first, this.#restsUntil.get(owner) ?? 0);
      if (first <= this.#allRestUntil) return this.#allRestUntil;
    }
    return first;
  }

  #work(): void {
    this.#next = undefined;
    const began = performance.now();
    const isRested = (owner: number) => (this.#restsUntil.get(owner) ?? 0) - began < shortest;
    const first = this.#waiting.take((_, owner) => isRested(owner));
    if (!first) {
      this.#schedule();
      return;
    }
    this.#isWorking = true;
    let free = 1 - first.share;
    first.begin();
    const fits = ({ share }: QueuedTurn, owner: number) =>
      owner === first.accountId && share <= free;
    for (let next = this.#waiting.take(fits); next; next = this.#waiting.take(fits)) {
      free -= next.share;
      next.begin();
    }
    // The work goes on in microtasks; a tick requested among them comes once none is left. What they wrote to
    // connections goes out at ticks before the next one.
    const end = () => this.#rest(first.accountId, performance.now() - began);
    queueMicrotask(() => process.nextTick(() => process.nextTick(end)));
  }

  #rest(accountId: number, ms: number): void {
    const now = performance.now();
    for (const [owner, until] of this.#restsUntil) if (until <= now) this.#restsUntil.delete(owner);
    this.#restsUntil.set(accountId, now + Math.min(rests * ms, maxRest.own));
    this.#allRestUntil = now + Math.min(rests * ms, maxRest.others);
    this.#isWorking = false;
    this.#schedule();
  }
}

/** Of this process. */
export const eventLoopQueue = new EventLoopQueue();
