/** What is known of a prepared statement from its runs. */

/** What decides whether an account's runs of a statement may share a connection. */
const penalties = {
  /** A run of more milliseconds is slow: nobody else should wait for it. */
  slowMs: 100,
  /** After its first slow run an account must have this many short ones in a row before it may share again. */
  first: 2,
  /** Each further slow run multiplies that number by this. */
  factor: 4,
  /** It never becomes larger than this. */
  max: 1000,
  /** For each statement this many accounts are remembered; then all are seen anew. */
  maxAccounts: 1000,
} as const;

/** How far a run that took longer than usual moves what is usual. */
const weight = 1 / 16;

/**
 * What runs of a kind usually take, in milliseconds, once another is known. A busy process sees answers late,
 * so a run that was shorter than usual says more.
 * @param before what they usually took until then; undefined for the first
 */
export const movingAverage = (before: number | undefined, ms: number): number =>
  before === undefined ? ms : before + (ms - before) * (ms < before ? 1 : weight);

/** What an account's slow runs of a statement cost it. */
interface SlowStatementPenalty {
  /** How many more runs must be short before the next may share a connection. */
  remaining: number;
  /** How many the next slow run will cost. */
  nextPenalty: number;
}

/** How long one statement takes: usually, and for each account. */
export class StatementStatistic {
  /** What a run usually takes, in milliseconds; undefined before there was a short one. */
  usualMs: number | undefined;
  readonly #penalties = new Map<number | undefined, SlowStatementPenalty>();

  /** Whether an account's runs are known as short, so that others may wait for them. */
  isShortFor(account: number | undefined): boolean {
    return this.#penalties.get(account)?.remaining === 0;
  }

  /** Records what a run of an account took, in milliseconds. */
  recordRun(account: number | undefined, ms: number): void {
    if (this.#penalties.size > penalties.maxAccounts) this.#penalties.clear();
    let penalty = this.#penalties.get(account);
    if (!penalty) {
      penalty = { remaining: 1, nextPenalty: penalties.first };
      this.#penalties.set(account, penalty);
    }
    if (ms > penalties.slowMs) {
      penalty.remaining = penalty.nextPenalty;
      penalty.nextPenalty = Math.min(penalty.nextPenalty * penalties.factor, penalties.max);
    } else if (penalty.remaining > 0) {
      penalty.remaining -= 1;
    }
  }

  /** Records what each of several runs on one connection took, unless that is slow: those do not share. */
  recordUsual(ms: number): void {
    if (ms <= penalties.slowMs) this.usualMs = movingAverage(this.usualMs, ms);
  }
}
