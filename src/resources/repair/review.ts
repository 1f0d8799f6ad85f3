/** What became of a repair, or of its reversal, in all accounts. */

/** A field that is stored otherwise than today's rules would. */
export interface Example {
  readonly account: number;
  readonly record: string;
  readonly id: number;
  readonly field: string;
  readonly stored: unknown;
  readonly becomes: unknown;
}

/** One whose value another contact has. */
export interface Collision extends Example {
  readonly contact_id: number | null;
}

/** What was found, and what was done about it. */
export interface Review {
  /** Records that are stored otherwise, collisions among them. */
  found: number;
  repaired: number;
  readonly examples: Example[];
  readonly collisions: Collision[];
}

/** Examples that a review lists. */
export const maxExamples = 10;

/** Records that were put back, and those that have something else by now. */
export interface UndoCounts {
  undone: number;
  changed_since: number;
}
