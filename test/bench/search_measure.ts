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
  /** Of each way at most. */
  readonly samples: number;
  /** After this many seconds no turn begins, provided that each way has had its second. */
  readonly seconds: number;
}

/**
 * How often a way is asked in one turn. A service at work has its program and data at hand; asked
 * once between others it would begin with the caches that they swept.
 */
const inARow = 20;

/** @returns the times of each way, under its name */
export async function measure(
  ways: Readonly<Record<string, Way>>,
  { samples, seconds }: Effort,
): Promise<ReadonlyMap<string, Times>> {
  const list = Object.entries(ways).map(([name, way]) => ({ name, way, ms: [] as number[] }));
  const end = performance.now() + 1000 * seconds;
  // Each value once, so that none is the first to read its part of an index.
  for (const { way } of list) for (let n = 0; n < Math.min(20, samples); n++) await way(n);
  for (let n = 0; n < samples; n += inARow) {
    if (n >= 2 * inARow && performance.now() > end) break;
    for (let turn = 0; turn < list.length; turn++) {
      // Nobody always comes after the same.
      const { way, ms } = list[(turn + n / inARow) % list.length] ?? {};
      if (!way || !ms) continue;
      for (let next = n; next < n + inARow; next++) {
        const start = performance.now();
        await way(next);
        ms.push(performance.now() - start);
      }
    }
  }
  return new Map(list.map(({ name, ms }) => [name, summary(ms)]));
}

function summary(ms: readonly number[]): Times {
  const sorted = [...ms].sort((a, b) => a - b);
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  return { p50: rank(0.5), p99: rank(0.99), samples: sorted.length };
}
