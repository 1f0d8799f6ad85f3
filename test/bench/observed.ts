/** A service whose processes report what they hold and how much came to each. */
import { fileURLToPath } from 'node:url';
import type { Bench } from './database.ts';
import { serviceProgram, startTarget, type Target } from './processes.ts';

/** Of one process. */
export interface Observation {
  /** Since it started. */
  readonly requests: number;
  /** In MiB. */
  readonly heap: number;
  readonly resident: number;
}

export interface Observed {
  readonly target: Target;
  observe(pid: number): Promise<Observation>;
}

interface Line {
  readonly observed: number;
  readonly requests: number;
  readonly heapUsed: number;
  readonly rss: number;
}

const mebibyte = 1024 ** 2;

/** @param collects whether memory is what is left after a collection */
export async function startObserved(
  { env }: Bench,
  workers: number,
  collects: boolean,
): Promise<Observed> {
  const waiting = new Map<number, (line: Line) => void>();
  const preload = fileURLToPath(new URL('../kit/observe.mjs', import.meta.url));
  let rest = '';
  const target = await startTarget(
    'service',
    ['--import', preload, ...serviceProgram],
    { ...env, WORKERS: String(workers), OBSERVED_AFTER_COLLECTION: collects ? 'on' : '' },
    {
      heard: (text) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines.filter((line) => line.startsWith('{"observed"'))) {
          const said: Line = JSON.parse(line);
          waiting.get(said.observed)?.(said);
        }
      },
    },
  );
  return {
    target,
    observe: (pid) =>
      new Promise((resolve) => {
        waiting.set(pid, ({ requests, heapUsed, rss }) =>
          resolve({ requests, heap: heapUsed / mebibyte, resident: rss / mebibyte }),
        );
        process.kill(pid, 'SIGUSR2');
      }),
  };
}
