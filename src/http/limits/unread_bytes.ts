/** How many bytes of answers are not read yet, and whose. */
import { largestBytes } from '../../context/budget.ts';

const mebibyte = 1024 * 1024;

/** Whose answers are counted together: an account's, or those of an address without a token. */
export type Party = number | string;

export const isStranger = (party: Party): boolean => typeof party === 'string';

/** Bytes that an account may have before its large answers wait, and all together. */
const accountBytes = largestBytes;
const allBytes = 2 * largestBytes;

/** This far above these bounds the stalest answers are given up. */
const tolerance = 16 * mebibyte;

/**
 * Bytes of an address without a token, and of all of these: pages and documents are read at once, and nobody
 * has to be known to ask for them.
 */
const addressBytes = 8 * mebibyte;
const strangersBytes = 32 * mebibyte;

/** Counts them by account or address, for strangers together, and in all. */
export class UnreadBytes {
  readonly #byParty = new Map<Party, number>();
  #all = 0;
  #strangers = 0;

  get all(): number {
    return this.#all;
  }

  /** @param bytes negative for those that are read, or given up */
  add(party: Party, bytes: number): void {
    this.#all += bytes;
    if (isStranger(party)) this.#strangers += bytes;
    const sum = this.#of(party) + bytes;
    if (sum > 0) this.#byParty.set(party, sum);
    else this.#byParty.delete(party);
  }

  /** Whether an account may have so many more without waiting. */
  hasRoom(account: number, bytes: number): boolean {
    return this.#all + bytes <= allBytes && this.#of(account) + bytes <= accountBytes;
  }

  /**
   * @param latest who has more than before
   * @returns whose stalest answer is to be given up; undefined while everything is within its bounds
   */
  excess(latest: Party): Party | undefined {
    const max = isStranger(latest) ? addressBytes : accountBytes + tolerance;
    if (this.#of(latest) > max) return latest;
    if (this.#strangers > strangersBytes) return this.#largest(isStranger);
    return this.#all > allBytes + tolerance ? this.#largest(() => true) : undefined;
  }

  #of(party: Party): number {
    return this.#byParty.get(party) ?? 0;
  }

  #largest(which: (party: Party) => boolean): Party | undefined {
    const parties = [...this.#byParty].filter(([party]) => which(party));
    const [largest] = parties.sort(([, a], [, b]) => b - a);
    return largest?.[0];
  }
}
