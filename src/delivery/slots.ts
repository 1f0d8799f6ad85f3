import type { State } from './queue.ts';

/**
 * How many attempts run at once, in a process and of one account; those to receivers that failed
 * last, or were slow, have half.
 */
const limits = { all: 50, account: 8 } as const;

/** How many of a process's places for attempts are taken, and for which accounts. */
export class Slots {
  readonly #taken = new Map<string, number>();

  /** Whether there is one for an account. */
  isFree(accountId: number, state: State): boolean {
    return kinds(accountId, state).every(([key, limit]) => this.#of(key) < limit);
  }

  /** @param by how many are taken, or given back */
  take(accountId: number, state: State, by: 1 | -1 = 1): void {
    for (const [key] of kinds(accountId, state)) {
      const count = this.#of(key) + by;
      if (count === 0) this.#taken.delete(key);
      else this.#taken.set(key, count);
    }
  }

  #of(key: string): number {
    return this.#taken.get(key) ?? 0;
  }
}

/** The counts that a place is part of, each with its limit. */
const kinds = (accountId: number, state: State): readonly (readonly [string, number])[] => {
  const usual = [
    ['all', limits.all],
    [`of ${accountId}`, limits.account],
  ] as const;
  if (state === 'unknown' || state === 'well') return usual;
  return [...usual, ...usual.map(([key, limit]) => [`slow ${key}`, limit / 2] as const)];
};
