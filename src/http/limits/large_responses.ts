import { type Budget, largestBytes, ordinaryBytes } from '../../context/budget.ts';
import { Fault } from '../../errors/errors.ts';
import { FairQueue } from '../../lib/fair_queue.ts';

/** The memory left for answers, as far as large ones have to know. */
export interface Room {
  /** Whether an account may hold `bytes` more. */
  has(account: number, bytes: number): boolean;
}

/** How long a large answer waits for its turn, in milliseconds. */
const patienceMs = 5000;

interface QueuedResponse {
  readonly account: number;
  readonly bytes: number;
  /** Whether anybody still waits for the answer. */
  isWanted(): boolean;
  begin(): void;
  giveUp(): void;
}

/**
 * Large answers are built one at a time, and only when there is room for them, because each takes up
 * memory several times over. Accounts take turns, and an answer for which there is no room lets others pass.
 */
export class LargeResponses {
  readonly #room: Room;
  readonly #waiting = new FairQueue<number, QueuedResponse>();
  #isTaken = false;
  /** Whose turn was the last: where others wait, the next one is not. */
  #last: number | undefined;

  constructor(room: Room) {
    this.#room = room;
  }

  /**
   * Waits for the turn of a large answer.
   * @param until when the request has to be over, on the clock of `performance`
   * @param isWanted whether anybody still waits for the answer
   * @returns a function that ends the turn
   * @throws {Fault} UNAVAILABLE when the turn did not come in time
   */
  enter(account: number, bytes: number, until: number, isWanted = () => true): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        clearTimeout(timer);
        this.#waiting.remove(account, waiting);
        reject(new Fault('UNAVAILABLE', ['Too many large answers are asked for, or not read']));
      };
      const timer = setTimeout(giveUp, Math.min(patienceMs, until - performance.now())).unref();
      const waiting: QueuedResponse = {
        account,
        bytes,
        isWanted,
        giveUp,
        begin: () => {
          clearTimeout(timer);
          resolve(() => {
            this.#isTaken = false;
            this.look();
          });
        },
      };
      this.#waiting.add(account, waiting);
      this.look();
    });
  }

  /** Whether any large answer waits. */
  get isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  /** Gives the turn to the next one, when nobody has it and there is room. */
  look(): void {
    if (this.#isTaken || this.#waiting.size === 0) return;
    for (const waiting of this.#waiting.entries()) if (!waiting.isWanted()) waiting.giveUp();
    const fits = ({ bytes }: QueuedResponse, account: number) => this.#room.has(account, bytes);
    const next =
      this.#waiting.take((waiting, account) => account !== this.#last && fits(waiting, account)) ??
      this.#waiting.take(fits);
    if (!next) return;
    this.#isTaken = true;
    this.#last = next.account;
    next.begin();
  }
}

/** The budget of one request. */
export class RequestBudget implements Budget {
  readonly #large: LargeResponses;
  readonly #account: number;
  readonly #until: number;
  readonly #isWanted: () => boolean;
  #bytes = 0;
  #turn: Promise<() => void> | undefined;
  #isOver = false;
  /** Its large reads, one after the other. */
  #readings: Promise<unknown> | undefined;
  /** How many questions are out, and who waits until none is. */
  #asked = 0;
  #waiting: (() => void)[] = [];
  repeats = 1;

  /**
   * @param until when the request has to be over, on the clock of `performance`
   * @param isWanted whether anybody still waits for the answer
   */
  constructor(large: LargeResponses, account: number, until: number, isWanted = () => true) {
    this.#large = large;
    this.#account = account;
    this.#until = until;
    this.#isWanted = isWanted;
  }

  get isLarge(): boolean {
    return this.#bytes > ordinaryBytes;
  }

  async ask<T>(query: () => Promise<T>): Promise<T> {
    this.#count(0);
    this.#asked += 1;
    try {
      return await query();
    } finally {
      this.#asked -= 1;
      // Not before whoever asked has counted what came.
      if (this.#asked === 0) for (const go of this.#waiting.splice(0)) setImmediate(go);
    }
  }

  spend(bytes: number): void | Promise<void> {
    this.#count(bytes);
    if (this.isLarge) return this.#enter();
  }

  large<T>(bytes: number, read: () => Promise<T>): Promise<T> {
    this.#count(bytes);
    const before = this.#readings ?? Promise.resolve();
    const reading = before
      .then(() => this.#answered())
      .then(() => this.#enter())
      .then(read)
      .then((value) => {
        // Other reads may have used up the budget meanwhile, which spares the rest of the work.
        this.#count(0);
        return value;
      });
    this.#readings = reading.catch(() => undefined);
    return reading;
  }

  /**
   * Ends the request's turn, if it had one: the answer is built. What of the request is still at
   * work gets no turn any more, for nobody would end it.
   */
  end(): void {
    this.#isOver = true;
    this.#turn?.then(
      (leave) => leave(),
      () => undefined,
    );
  }

  /** What else the request has asked for may use up the budget, which spares the work. */
  async #answered(): Promise<void> {
    while (this.#asked > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#count(0);
  }

  #count(bytes: number): void {
    this.#bytes += bytes * this.repeats;
    if (this.#bytes <= largestBytes) return;
    const max = largestBytes / 1024 / 1024;
    throw new Fault('VALIDATION_FAILED', [
      `The answer would have more than ${max} MiB: ask for a part of it`,
    ]);
  }

  async #enter(): Promise<void> {
    if (this.#isOver) throw new Fault('UNAVAILABLE', ['Its request is over']);
    const isWanted = () => !this.#isOver && this.#isWanted();
    this.#turn ??= this.#large.enter(this.#account, this.#bytes, this.#until, isWanted);
    await this.#turn;
  }
}
