/** Who has used most of something in the last ten minutes. */

/** Of one account or token, by its id. */
export interface Use {
  readonly id: number;
  /** Whose token it is; the account's own id of an account. */
  readonly account: number;
  count: number;
  ms: number;
}

/** Minutes that are remembered, beside the one that is not over. */
const minutes = 10;

/** For each minute so many are remembered; of more the heavier half. */
const maxOfMinute = 1000;

/** Entries of a list that is passed on. */
export const maxListed = 20;

export class RecentUse {
  /** The newest first. */
  readonly #minutes: Map<number, Use>[] = [new Map()];

  note(id: number, account: number, ms: number): void {
    const [current] = this.#minutes;
    if (!current) return;
    const use = current.get(id);
    if (use) {
      use.count += 1;
      use.ms += ms;
      return;
    }
    if (current.size >= maxOfMinute) {
      const heavier = heaviest(current.values(), maxOfMinute / 2);
      this.#minutes[0] = new Map(heavier.map((one) => [one.id, one]));
    }
    this.#minutes[0]?.set(id, { id, account, count: 1, ms });
  }

  /** To be called every minute. */
  turn(): void {
    this.#minutes.unshift(new Map());
    this.#minutes.length = Math.min(this.#minutes.length, minutes);
  }

  /** The heaviest, by their time. */
  heaviest(): readonly Use[] {
    return heaviestOf(this.#minutes.map((minute) => [...minute.values()]));
  }
}

const heaviest = (uses: Iterable<Use>, count: number): Use[] =>
  [...uses].sort((one, other) => other.ms - one.ms).slice(0, count);

/** The heaviest of several lists together. */
export function heaviestOf(lists: readonly (readonly Use[])[]): readonly Use[] {
  const all = new Map<number, Use>();
  for (const { id, account, count, ms } of lists.flat()) {
    const use = all.get(id) ?? { id, account, count: 0, ms: 0 };
    use.count += count;
    use.ms += ms;
    all.set(id, use);
  }
  return heaviest(all.values(), maxListed);
}
