/**
 * Who may have one of a few places that last as long as their readers take: shared out by account, and taken
 * back from readers that keep others waiting.
 */
import { exportConnections } from '../../config/connections.ts';
import { Fault, TooMany } from '../../errors/errors.ts';

/** How many places there are: for one account, and for all. */
export const maxSlots = { ofAccount: 2, ofAll: exportConnections } as const;

/** Seconds after which it is worth another attempt. */
const laterSeconds = 30;

export interface Pace {
  /** Bytes a second that a reader must take while others wait. */
  readonly floor: number;
  /** By how much a reader may fall behind that, and how long others wait for a place, in milliseconds. */
  readonly lagMs: number;
  readonly waitMs: number;
  /** How often to look for readers that have fallen behind, while others wait. */
  readonly lookMs: number;
}

/** A client on half a megabit a second keeps up; one that falls behind does so before others give up. */
const usual: Pace = { floor: 64 * 1024, lagMs: 10_000, waitMs: 15_000, lookMs: 250 };

type Account = number | undefined;

/** Why a place was taken back. */
export const cutOff = () =>
  new Fault('UNAVAILABLE', [
    'The export was read too slowly while others waited: go on after the last record that came, by its id',
  ]);

/** A place, and how its reader keeps pace. */
export class Slot {
  readonly account: Account;
  readonly #pace: Pace;
  readonly #leave: (slot: Slot) => void;
  #onLoss: (() => void) | undefined;
  /** By how much the reader may be slower from now on, in milliseconds. */
  #slack: number;
  /** Since when the reader has had all that there was, on the clock of `performance`; undefined while it waits. */
  #readingSince: number | undefined;

  constructor(account: Account, pace: Pace, leave: (slot: Slot) => void) {
    this.account = account;
    this.#pace = pace;
    this.#slack = pace.lagMs;
    this.#leave = leave;
  }

  /** The reader was given some bytes. */
  give(bytes: number): void {
    const earned = (bytes / this.#pace.floor) * 1000;
    this.#slack = Math.min(this.#slack + earned, this.#pace.lagMs);
    this.#readingSince = performance.now();
  }

  /** The reader asks for more: from now on it is not what takes the time. */
  ask(): void {
    this.#slack = this.slack;
    this.#readingSince = undefined;
  }

  /** By how much its reader may still be slower; below zero it has fallen behind. */
  get slack(): number {
    const reading = this.#readingSince;
    return this.#slack - (reading === undefined ? 0 : performance.now() - reading);
  }

  /** @param take is called when the place is taken back */
  onLoss(take: () => void): void {
    this.#onLoss = take;
  }

  /** Takes the place back: what has it ends. */
  lose(): void {
    this.#onLoss?.();
    this.leave();
  }

  leave(): void {
    this.#leave(this);
  }
}

interface SlotRequest {
  readonly account: Account;
  readonly begin: (slot: Slot) => void;
}

/**
 * The places of a process. The last one goes to an account that has none, so that two accounts never keep
 * all others out. Who waits gets the next that is free, accounts with fewest first; and where none gets free,
 * readers that have fallen behind lose theirs.
 */
export class Slots {
  readonly #pace: Pace;
  readonly #taken = new Set<Slot>();
  readonly #waiting = new Set<SlotRequest>();
  #looking: NodeJS.Timeout | undefined;

  constructor(pace: Pace = usual) {
    this.#pace = pace;
  }

  /**
   * Waits for a place.
   * @throws {Fault} TOO_MANY_REQUESTS when the account has, or waits for, as many as it may; UNAVAILABLE when
   *   none got free in time, or `signal` was aborted
   */
  take(account: Account, signal?: AbortSignal): Promise<Slot> {
    const waiting = [...this.#waiting].filter((one) => one.account === account).length;
    if (this.#countOf(account) + waiting >= maxSlots.ofAccount) {
      const message = `The account has ${maxSlots.ofAccount} exports at work: wait until one of them is over`;
      return Promise.reject(new TooMany(laterSeconds, message));
    }
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        this.#waiting.delete(one);
        if (this.#waiting.size === 0) clearInterval(this.#looking);
      };
      const giveUp = () => {
        stop();
        reject(new Fault('UNAVAILABLE', ['Too many exports are running']));
      };
      const begin = (slot: Slot) => {
        stop();
        resolve(slot);
      };
      const one: SlotRequest = { account, begin };
      const timer = setTimeout(giveUp, this.#pace.waitMs).unref();
      signal?.addEventListener('abort', giveUp);
      if (this.#waiting.size === 0) {
        this.#looking = setInterval(() => this.#look(), this.#pace.lookMs).unref();
      }
      this.#waiting.add(one);
      this.#look();
      if (signal?.aborted) giveUp();
    });
  }

  /** Begins what may begin, and takes back what may be taken for accounts that have nothing. */
  #look(): void {
    this.#beginAll();
    const without = [...this.#waiting].filter(({ account }) => this.#countOf(account) === 0);
    if (without.length === 0) return;
    const behind = [...this.#taken].filter(({ slack }) => slack < 0);
    behind.sort((a, b) => a.slack - b.slack);
    for (const slot of behind.slice(0, without.length)) slot.lose();
  }

  #beginAll(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      const slot = new Slot(next.account, this.#pace, (left) => {
        if (this.#taken.delete(left)) this.#beginAll();
      });
      this.#taken.add(slot);
      next.begin(slot);
    }
  }

  #next(): SlotRequest | undefined {
    const free = maxSlots.ofAll - this.#taken.size;
    return [...this.#waiting]
      .filter(({ account }) => free > this.#countOf(account))
      .sort((a, b) => this.#countOf(a.account) - this.#countOf(b.account))[0];
  }

  #countOf(account: Account): number {
    return [...this.#taken].filter((slot) => slot.account === account).length;
  }
}
