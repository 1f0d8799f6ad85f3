/**
 * How often a measured value was how large. It is an array and a sum, so that noting a value takes a few
 * nanoseconds.
 */
export class Histogram {
  /** The largest value of each bucket, ascending; a last bucket takes what is larger. */
  readonly bounds: readonly number[];
  /** How many values each bucket has, by itself. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  note(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
  }
}
