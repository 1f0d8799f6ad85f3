/** Retrying writes that lost a race. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../errors/errors.ts';
import { because, isBroken } from '../errors.ts';

/** Of many rivals for one record one wins each round, so a write must outlast all others. */
const maxAttempts = 60;
const maxPauseMs = 100;

/**
 * Runs `work`, and again when it lost a race: PostgreSQL chose it as the victim of a conflict or a
 * deadlock, or a record changed between reading and writing it. The pause in between is random and
 * grows, so that two rivals do not meet again. `work` must be one statement or a whole
 * transaction, for what it did before the conflict is undone.
 * @param also other errors that are worth another attempt, up to `alsoAttempts` in all
 * @throws the last attempt's error; UNAVAILABLE when every attempt lost its race
 */
export async function retryConflicts<T>(
  work: () => Promise<T>,
  also: (error: unknown) => boolean = () => false,
  alsoAttempts = 5,
): Promise<T> {
  const lost = isBroken('conflict');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!lost(error) && !(also(error) && attempt < alsoAttempts)) throw error;
      if (attempt >= maxAttempts) throw because(error, new Fault('UNAVAILABLE'));
      await sleep(Math.random() * Math.min(maxPauseMs, 2 ** attempt));
    }
  }
}
