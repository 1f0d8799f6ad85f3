/**
 * Processor cores of their own for what is measured, PostgreSQL and the load: where they share, each is
 * interrupted by the others, most often just as it wakes them.
 */
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Lists of cores as `taskset` takes them. */
export interface Cores {
  readonly target: string;
  readonly postgres: string;
  readonly load: string;
}

/** @returns undefined where there is one core, or no `taskset` (it comes with Linux) */
export function separateCores(): Cores | undefined {
  const last = availableParallelism() - 1;
  if (last === 0 || !hasTaskset()) return undefined;
  const postgres = last > 2 ? `1-${last - 1}` : '1';
  return { target: '0', postgres, load: String(last) };
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Moves this process; what it starts from now on stays beside it. */
export function moveTo(cores: string): void {
  execFileSync('taskset', ['-apc', cores, String(process.pid)], { stdio: 'ignore' });
}

/** A command that runs another on some cores, in the same process. */
export const on = (cores: string, command: readonly string[]): readonly string[] => [
  'taskset',
  '-c',
  cores,
  ...command,
];
