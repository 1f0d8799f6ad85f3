/**
 * Writing records together, with the outcomes that they would have one after the other. A wave takes as many
 * as do not touch what others before them touch; the next wave sees what this one has left.
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
  plan(record: R, found: F): RecordPlan<W>;
  /** @returns their outcomes, in the same order */
  write(writes: readonly W[], found: F): Promise<readonly Outcome[]>;
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
  let left = records.map((record, at) => ({ record, at }));
  let size = left.length;
  while (left.length > 0) {
    const planned = left.slice(0, size);
    const found = await look(planned.map(({ record }) => record));
    const touched = new Set<string>();
    const held = new Set<string>();
    const wave: { readonly write: W; readonly at: number }[] = [];
    const later: typeof left = [];
    for (const each of planned) {
      const { outcome, write: own, touches, shares = [] } = plan(each.record, found);
      const waits = touches.some((name) => touched.has(name));
      if (waits || shares.some((name) => held.has(name))) {
        later.push(each);
        for (const name of shares) held.add(name);
      } else if (outcome) {
        // It changes nothing for those behind it.
        outcomes[each.at] = outcome;
        continue;
      } else if (own !== undefined) wave.push({ write: own, at: each.at });
      for (const name of touches) touched.add(name);
    }
    const written = await write(
      wave.map((each) => each.write),
      found,
    );
    wave.forEach(({ at }, index) => {
      const outcome = written[index];
      if (outcome) outcomes[at] = outcome;
    });
    // Where most have to wait, planning them again each time would take longer than writing them.
    const done = planned.length - later.length;
    size = 2 * done < planned.length ? 4 * done : 2 * size;
    left = [...later, ...left.slice(planned.length)];
  }
  return outcomes;
}
