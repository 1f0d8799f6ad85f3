import { Fault } from './errors.ts';

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (why: Fault) => void;
}

/** How many may wait, and the message for a caller that is sent away because more do. */
interface Limit {
  readonly most: number;
  readonly refusal: string;
}

/**
 * Does work that takes processors and memory from everything else: so much at once that the rest does not
 * notice, those who ask for it in turns. Where too many wait, one of whoever has most waiting is sent
 * away, so that nobody keeps others from their turn by asking often.
 */
export class Turns<Asker> {
  readonly #atOnce: number;
  readonly #limit: Limit | undefined;
  #atWork = 0;
  #count = 0;
  /** Whose turn it is comes first. */
  readonly #waiting = new Map<Asker, Waiting[]>();

  /** @param limit of those that wait; without one any number may */
  constructor(atOnce: number, limit?: Limit) {
    this.#atOnce = atOnce;
    this.#limit = limit;
  }

  /** @throws {Fault} UNAVAILABLE when too many wait; and what the work throws */
  async run<T>(who: Asker, work: () => Promise<T>): Promise<T> {
    if (this.#atWork < this.#atOnce) this.#atWork += 1;
    else await this.#wait(who);
    try {
      return await work();
    } finally {
      // The next one takes over the place.
      if (!this.#beginNext()) this.#atWork -= 1;
    }
  }

  #wait(who: Asker): Promise<void> {
    return new Promise((begin, refuse) => {
      const alike = this.#waiting.get(who) ?? [];
      this.#waiting.set(who, alike);
      alike.push({ begin, refuse });
      this.#count += 1;
      const limit = this.#limit;
      if (limit && this.#count > limit.most) this.#sendOneAway(limit.refusal);
    });
  }

  #sendOneAway(refusal: string): void {
    const [most] = [...this.#waiting].sort(([, one], [, other]) => other.length - one.length);
    if (!most) return;
    const [who, alike] = most;
    this.#count -= 1;
    alike.pop()?.refuse(new Fault('UNAVAILABLE', [refusal]));
    if (alike.length === 0) this.#waiting.delete(who);
  }

  #beginNext(): boolean {
    const [first] = this.#waiting;
    if (!first) return false;
    const [who, alike] = first;
    const next = alike.shift();
    this.#count -= 1;
    this.#waiting.delete(who);
    if (alike.length > 0) this.#waiting.set(who, alike);
    next?.begin();
    return true;
  }
}
