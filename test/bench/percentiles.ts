/** What is said of many measured values at once. */

/** The smallest value that at least this share of them do not exceed; 0 when there is none. */
export function percentile(values: readonly number[], share: number): number {
  return atRank(ascending(values), share);
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Median and 99th percentile. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = ascending(values);
  return { p50: atRank(sorted, 0.5), p99: atRank(sorted, 0.99) };
}

const ascending = (values: readonly number[]) => [...values].sort((a, b) => a - b);

const atRank = (sorted: readonly number[], share: number) =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
