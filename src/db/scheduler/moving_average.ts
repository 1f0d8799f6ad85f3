/** How far a run that took longer than usual moves what is usual. */
const weight = 1 / 16;

/**
 * What runs of a kind usually take, in milliseconds, once another is known. A busy process sees answers late,
 * so a run that was shorter than usual says more.
 * @param before what they usually took until then; undefined for the first
 */
export const movingAverage = (before: number | undefined, ms: number): number =>
  before === undefined ? ms : before + (ms - before) * (ms < before ? 1 : weight);
