/** What came of the attempts of this process, for operators. */
import { Histogram } from '../lib/histogram.ts';
import type { About, Outcome } from './send.ts';

/** Deliveries that were made so much later than their change are not about it: the change is sent again. */
const againMs = 3_600_000;

export class AttemptFigures {
  /** `refused`: the receiver answered with another status than 2xx. `unanswered`: it did not answer at all. */
  readonly outcomes = { delivered: 0, refused: 0, unanswered: 0 };
  /** Seconds from a change to the end of the first attempt to tell of it. */
  readonly delays = new Histogram([0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800]);

  note(
    { attempts, created_at, changed_at }: About,
    { status, error }: Pick<Outcome, 'status' | 'error'>,
  ): void {
    const outcome = error === null ? 'delivered' : status === null ? 'unanswered' : 'refused';
    this.outcomes[outcome] += 1;
    if (attempts > 0 || changed_at === undefined) return;
    const changed = Date.parse(changed_at);
    if (Date.parse(created_at) - changed > againMs) return;
    // The clocks of two machines differ a little.
    this.delays.note(Math.max(0, Date.now() - changed) / 1000);
  }
}
