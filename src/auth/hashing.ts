import { Fault } from '../errors.ts';

/**
 * Who wants a hash: a client whom nobody knows yet, or an account by its id. How many requests an account has
 * in hand is bounded before.
 */
export type Asker = string | number;

/** How many clients' hashes may wait: those that come last wait for about a second. */
const mostWaiting = 32;

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (why: Fault) => void;
}

/**
 * Computes hashes of passwords, which take processors and memory from everything else: so few at once that
 * the rest does not notice, those who ask in turns. Where too many wait, one of the client that has most
 * waiting is sent away, so that nobody keeps others from their turn by asking often.
 */
export class Hashing {
  readonly #most: number;
  #atWork = 0;
  /** Whose turn it is comes first. */
  readonly #waiting = new Map<Asker, Waiting[]>();

  /** @param most at once */
  constructor(most: number) {
    this.#most = most;
  }

  /** @throws {Fault} UNAVAILABLE for a client, when too many wait */
  async run<T>(who: Asker, hash: () => Promise<T>): Promise<T> {
    if (this.#atWork < this.#most) this.#atWork += 1;
    else await this.#wait(who);
    try {
      return await hash();
    } finally {
      // Whoever is next takes over the place.
      if (!this.#beginNext()) this.#atWork -= 1;
    }
  }

  #wait(who: Asker): Promise<void> {
    return new Promise((begin, refuse) => {
      const alike = this.#waiting.get(who) ?? [];
      this.#waiting.set(who, alike);
      alike.push({ begin, refuse });
      if (typeof who === 'string') this.#boundClients();
    });
  }

  #boundClients(): void {
    const clients = [...this.#waiting].filter(([who]) => typeof who === 'string');
    const count = clients.reduce((sum, [, alike]) => sum + alike.length, 0);
    const [most] = clients.sort(([, one], [, other]) => other.length - one.length);
    if (!most || count <= mostWaiting) return;
    const [who, alike] = most;
    alike.pop()?.refuse(new Fault('UNAVAILABLE', ['Too many passwords are being checked']));
    if (alike.length === 0) this.#waiting.delete(who);
  }

  #beginNext(): boolean {
    const [first] = this.#waiting;
    if (!first) return false;
    const [who, alike] = first;
    const next = alike.shift();
    this.#waiting.delete(who);
    if (alike.length > 0) this.#waiting.set(who, alike);
    next?.begin();
    return true;
  }
}
