/** Times several ways to one answer in turns, so that a busy moment of the machine hits them all. */

/** Milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
  readonly samples: number;
}

/** A way to the nth answer. */
export type Way = (n: number) => Promise<unknown>;

export interface Effort {
  /** Rounds at most. */
  readonly samples: number;
  /** After so many seconds no round begins, when there were twenty. */
  readonly seconds: number;
}

/** @returns the times of each way, under its name */
export async function measure(
  ways: Readonly<Record<string, Way>>,
  { samples, seconds }: Effort,
): Promise<ReadonlyMap<string, Times>> {
  const list = Object.entries(ways).map(([name, way]) => ({ name, way, ms: [] as number[] }));
  const end = performance.now() + 1000 * seconds;
  // Each value once, so that none is the first to read its part of an index.
  const warmup = Math.min(20, samples);
  for (let n = -warmup; n < samples; n++) {
    if (n >= 20 && performance.now() > end) break;
    for (let turn = 0; turn < list.length; turn++) {
      // Whoever comes after a heavy one would pay for the caches that it swept.
      const next = list[(turn + n + warmup) % list.length];
      if (!next) continue;
      const start = performance.now();
      await next.way(n + warmup);
      if (n >= 0) next.ms.push(performance.now() - start);
    }
  }
  return new Map(list.map(({ name, ms }) => [name, summary(ms)]));
}

function summary(ms: readonly number[]): Times {
  const sorted = [...ms].sort((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: rank(0.5), p99: rank(0.99), samples: sorted.length };
}
