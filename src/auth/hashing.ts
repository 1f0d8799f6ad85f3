import { Fault } from '../errors.ts';

/** How many may wait: those who come last wait for about a second. */
const mostWaiting = 32;

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (why: Fault) => void;
}

/**
 * Computes hashes of passwords, which take processors and memory from everything else: so few at once that
 * the rest does not notice, those who ask in turns. Where too many wait, one of whoever has most
 * waiting is sent away, so that nobody keeps others from their turn by asking often.
 */
export class Hashing {
  readonly #most: number;
  #atWork = 0;
  /** Whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiting[]>();
  #count = 0;

  /** @param most at once */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * @param who asks: a client, or an account
   * @throws {Fault} UNAVAILABLE when too many wait
   */
  async run<T>(who: string, hash: () => Promise<T>): Promise<T> {
    if (this.#atWork < this.#most) this.#atWork += 1;
    else await this.#wait(who);
    try {
      return await hash();
    } finally {
      // Whoever is next takes over the place.
      if (!this.#beginNext()) this.#atWork -= 1;
    }
  }

  #wait(who: string): Promise<void> {
    return new Promise((begin, refuse) => {
      const alike = this.#waiting.get(who) ?? [];
      this.#waiting.set(who, alike);
      alike.push({ begin, refuse });
      this.#count += 1;
      if (this.#count > mostWaiting) this.#sendOneAway();
    });
  }

  #sendOneAway(): void {
    const [most] = [...this.#waiting].sort(([, one], [, other]) => other.length - one.length);
    if (!most) return;
    const [who, alike] = most;
    this.#count -= 1;
    alike.pop()?.refuse(new Fault('UNAVAILABLE', ['Too many passwords are being checked']));
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
