/** The command line without a process of its own: the same commands a hundred times faster. */
import { Readable } from 'node:stream';
import { jest } from '@jest/globals';
import { run } from '../../src/cli/run.ts';
import type { Outcome } from './command.ts';

/**
 * Runs `crm` to its end in this process, one command after the other.
 * @param input what it reads from standard input
 */
export async function runHere(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input = '',
): Promise<Outcome> {
  const before = process.env;
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    jest.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text);
      return true;
    }),
  );
  // A process that ends need not take back what it listens for.
  const errors = jest.spyOn(process.stdout, 'once').mockReturnValue(process.stdout);
  process.env = { ...before, ...env };
  try {
    await run(args);
    return { code: Number(process.exitCode ?? 0), out: said.stdout, err: said.stderr };
  } finally {
    process.exitCode = undefined;
    process.env = before;
    for (const spy of spies) spy.mockRestore();
    errors.mockRestore();
  }
}
