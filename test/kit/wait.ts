import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** Asks again until the answer is as wanted, or time is up: the last answer, for who says what is wrong with it. */
export async function lastAnswer<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  ms: number,
): Promise<T> {
  const end = Date.now() + ms;
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, 50)) {
    const answer = await ask();
    if (wanted(answer) || Date.now() > end) return answer;
    await sleep(pauseMs);
  }
}

/**
 * Asks again until the answer is as wanted.
 * @returns that answer
 * @throws where none was within `ms`, with the last one, so that nobody waits in vain and goes on
 */
export async function until<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  ms: number,
): Promise<T> {
  const answer = await lastAnswer(ask, wanted, ms);
  if (wanted(answer)) return answer;
  throw new Error(`Not within ${ms} ms; the last answer was ${inspect(answer)}`);
}
