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
  readonly #ofOne: number;
  #atWork = 0;
  /** How much is at work for each asker for whom something is. */
  readonly #busy = new Map<Asker, number>();
  #count = 0;
  /** Whose turn it is comes first. */
  readonly #waiting = new Map<Asker, Waiting[]>();

  /**
   * @param limit of those that wait; without one any number may
   * @param ofOne how much is done at once for the same asker; as much as for all, unless given
   */
  constructor(atOnce: number, limit?: Limit, ofOne = atOnce) {
    this.#atOnce = atOnce;
    this.#limit = limit;
    this.#ofOne = ofOne;
  }

  /** @throws {Fault} UNAVAILABLE when too many wait; and what the work throws */
  async run<T>(who: Asker, work: () => Promise<T>): Promise<T> {
    if (this.#hasPlace(who)) this.#enter(who);
    else await this.#wait(who);
    try {
      return await work();
    } finally {
      this.#leave(who);
      this.#beginNext();
    }
  }

  #hasPlace(who: Asker): boolean {
    return this.#atWork < this.#atOnce && (this.#busy.get(who) ?? 0) < this.#ofOne;
  }

  #enter(who: Asker): void {
    this.#atWork += 1;
    this.#busy.set(who, (this.#busy.get(who) ?? 0) + 1);
  }

  #leave(who: Asker): void {
    this.#atWork -= 1;
    const left = (this.#busy.get(who) ?? 0) - 1;
    if (left > 0) this.#busy.set(who, left);
    else this.#busy.delete(who);
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

  #beginNext(): void {
    const first = [...this.#waiting].find(([who]) => this.#hasPlace(who));
    if (!first) return;
    const [who, alike] = first;
    const next = alike.shift();
    this.#count -= 1;
    this.#waiting.delete(who);
    if (alike.length > 0) this.#waiting.set(who, alike);
    // It has its place before it begins, or another one might take it.
    this.#enter(who);
    next?.begin();
  }
}
