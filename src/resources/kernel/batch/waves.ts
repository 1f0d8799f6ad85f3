/**
 * Writing records together, with the outcomes that they would have one after the other. A wave takes all records that do
 * not touch what an earlier one touches; the next wave sees what this one wrote.
 */
import type { Outcome } from './verb.ts';

/** What is to be done about a record: its outcome, where nothing has to be written, or the write. */
export interface RecordPlan<W> {
  readonly outcome?: Outcome;
  readonly write?: W;
  /**
   * Names of everything that the outcome depends on or that the write changes: unique values, the records
   * that they lead to, and the values that these have now.
   */
  readonly touches: readonly string[];
  /**
   * Names of what several may change in one wave, because the write does so in their order; a record that
   * has to wait for the next wave makes those behind it wait as well.
   */
  readonly shares?: readonly string[];
}

/** How records of a kind are written together. */
export interface Steps<R, F, W> {
  /** Looks for what the plans of records depend on, and locks what they may change. */
  look(records: readonly R[]): Promise<F>;
  plan(record: R, facts: F): RecordPlan<W>;
  /** @returns their outcomes, in the same order */
  write(writes: readonly W[], facts: F): Promise<readonly Outcome[]>;
}

/**
 * Writes records in waves: looks for what a portion of them depends on, plans each, and writes those that do
 * not depend on another of the same portion. The others follow in the next wave.
 * @param steps `look` takes the locks, which must last until all waves are written
 * @returns their outcomes in the order of the records
 * @throws what the steps throw; waves before it are written then, so the caller's transaction must be undone
 */
export async function inConflictFreeRounds<R, F, W>(
  records: readonly R[],
  { look, plan, write }: Steps<R, F, W>,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = Array(records.length);
  let rest = records.map((record, at) => ({ record, at }));
  let size = rest.length;
  while (rest.length > 0) {
    const planned = rest.slice(0, size);
    const facts = await look(planned.map(({ record }) => record));
    const touched = new Set<string>();
    const claims = new Set<string>();
    const wave: { readonly write: W; readonly at: number }[] = [];
    const later: typeof rest = [];
    for (const each of planned) {
      const { outcome, write: own, touches, shares = [] } = plan(each.record, facts);
      const waits = touches.some((name) => touched.has(name));
      if (waits || shares.some((name) => claims.has(name))) {
        later.push(each);
        for (const name of shares) claims.add(name);
      } else if (outcome) {
        // It changes nothing for those behind it.
        outcomes[each.at] = outcome;
        continue;
      } else if (own !== undefined) wave.push({ write: own, at: each.at });
      for (const name of touches) touched.add(name);
    }
    const written = await write(
      wave.map((each) => each.write),
      facts,
    );
    wave.forEach(({ at }, index) => {
      const outcome = written[index];
      if (outcome) outcomes[at] = outcome;
    });
    // Where most have to wait, planning them again each time would take longer than writing them.
    const progress = planned.length - later.length;
    size = 2 * progress < planned.length ? 4 * progress : 2 * size;
    rest = [...later, ...rest.slice(planned.length)];
  }
  return outcomes;
}
