import { CommanderError } from 'commander';
import { reportFailure } from '../process/failure.ts';
import { program } from './program.ts';

/**
 * Runs a command. One that fails says why on standard error, and leaves the process an exit code.
 * @param args what was typed after the program's name
 */
export async function run(args: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what is wrong, or has shown the help that was asked for.
      process.exitCode = error.exitCode === 0 ? 0 : 1;
    } else {
      reportFailure(error);
      process.exitCode = 1;
    }
  }
}
