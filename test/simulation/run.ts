/**
 * `npm run test:simulate`: five days of deliveries for each of many seeds, divided among the cores. Exits with 1 when
 * something must not be, and says how to see it again.
 * Options by environment: SIMULATE_SEEDS (10000), SIMULATE_FROM (1), SIMULATE_SEED (one, with all that happens).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Outcome, simulate } from './simulation.ts';

/** What a share of the seeds came to. */
interface Sum {
  failed: number;
  attempts: number;
  changes: number;
  longest: number;
}

const nothing: Sum = { failed: 0, attempts: 0, changes: 0, longest: 0 };

async function one(seed: number): Promise<void> {
  const { faults, trace } = await simulate(seed, { isTraced: true });
  console.log(trace);
  console.log(faults.length === 0 ? 'nothing that must not be' : faults.join('\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** Every so manieth seed from a first one on. */
async function share(first: number, end: number, step: number): Promise<void> {
  const sum = { ...nothing };
  for (let seed = first; seed < end; seed += step) {
    const { faults, attempts, changes, longest }: Outcome = await simulate(seed).catch((error) => {
      throw new Error(`SIMULATE_SEED=${seed}`, { cause: error });
    });
    sum.attempts += attempts;
    sum.changes += changes;
    sum.longest = Math.max(sum.longest, longest);
    if (faults.length === 0) continue;
    sum.failed += 1;
    if (sum.failed <= 5) console.log(`SIMULATE_SEED=${seed} ${faults.slice(0, 3).join('\n  ')}`);
  }
  process.send?.(sum);
}

async function all(): Promise<void> {
  const from = Number(process.env.SIMULATE_FROM ?? 1);
  const end = from + Number(process.env.SIMULATE_SEEDS ?? 10_000);
  const cores = availableParallelism();
  const began = performance.now();
  const shares = await Promise.all(
    Array.from({ length: cores }, async (_, n) => {
      const args = [from + n, end, cores].map(String);
      const child = fork(fileURLToPath(import.meta.url), args, {
        execArgv: ['--import', import.meta.resolve('tsx')],
      });
      const ended = once(child, 'exit').then(([code]) => {
        throw new Error(`a share ended with ${code}`);
      });
      const [sum]: Sum[] = await Promise.race([once(child, 'message'), ended]);
      ended.catch(() => undefined);
      return sum ?? nothing;
    }),
  );
  const total = (of: (sum: Sum) => number) => shares.reduce((sum, each) => sum + of(each), 0);
  const failed = total((sum) => sum.failed);
  console.log(
    `${end - from} seeds: ${failed} failed; ${total((sum) => sum.changes)} changes, ${total((sum) => sum.attempts)} attempts, ` +
      `a good receiver waited ${Math.round(Math.max(...shares.map((sum) => sum.longest)))} ms at most; ` +
      `${((performance.now() - began) / 1000).toFixed(0)} s`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

const [first, end, step] = process.argv.slice(2).map(Number);
const { SIMULATE_SEED } = process.env;
if (first !== undefined && end !== undefined && step !== undefined) await share(first, end, step);
else await (SIMULATE_SEED === undefined ? all() : one(Number(SIMULATE_SEED)));
