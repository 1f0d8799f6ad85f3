/** Whose statements are known to be short, so that others may wait for them. */

/** From this many milliseconds on a statement is too slow for others to wait for it. */
export const slow = 100;

/**
 * After a slow statement an account must have `least` short ones in a row before it may share again. Each
 * further slow one multiplies that number by `times`, up to `most`.
 */
const amends = { least: 2, times: 4, most: 1000 } as const;

/** For each statement, accounts are remembered up to this many. */
const mostAccounts = 1000;

/** What is known of an account's statements of one name. */
interface Known {
  /** How many more must be short before the next may share a connection. */
  owed: number;
  /** How many the next slow one will cost. */
  price: number;
}

/** How long each account's statements took of late, by their names. */
export class Shortness {
  readonly #known = new Map<string, Map<number | undefined, Known>>();

  /** Whether an account's statements of a name are known as short. */
  isKnown(account: number | undefined, name: string): boolean {
    return this.#known.get(name)?.get(account)?.owed === 0;
  }

  /** @param ms how many milliseconds a statement took; those without a name never share */
  note(account: number | undefined, name: string, ms: number): void {
    if (!name) return;
    let accounts = this.#known.get(name);
    if (!accounts || accounts.size > mostAccounts) {
      accounts = new Map();
      this.#known.set(name, accounts);
    }
    let known = accounts.get(account);
    if (!known) {
      known = { owed: 1, price: amends.least };
      accounts.set(account, known);
    }
    if (ms > slow) {
      known.owed = known.price;
      known.price = Math.min(known.price * amends.times, amends.most);
    } else if (known.owed > 0) {
      known.owed -= 1;
    }
  }
}
