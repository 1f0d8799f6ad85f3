/** Trying again what fails for a while. */
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command_error.ts';

/** A failure that may be over the next time. */
export class Temporary extends Error {
  /** When it is worth another attempt; NaN where nobody said. */
  readonly seconds: number;

  constructor(message: string, seconds = Number.NaN) {
    super(message);
    this.seconds = seconds;
  }
}

/** In all some four minutes: as long as a service takes to be restarted. */
const maxAttempts = 12;
const longestPause = 30;
/** What the other side asks for may be longer. */
const longestAsked = 300;

/** @throws {CommandError} what was wrong the last time */
export async function retryFailures<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Temporary)) throw error;
      if (attempt === maxAttempts) {
        throw new CommandError(`${error.message}. The same command goes on from here`);
      }
      const grown = Math.min(2 ** (attempt - 2), longestPause);
      const seconds = Math.min(error.seconds, longestAsked);
      await sleep(1000 * (seconds > 0 ? seconds : grown));
    }
  }
}
