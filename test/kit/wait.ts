import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again until the answer is as wanted, or time is up: the last answer. */
export async function until<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  ms: number,
): Promise<T> {
  const end = Date.now() + ms;
  for (;;) {
    const answer = await ask();
    if (wanted(answer) || Date.now() > end) return answer;
    await sleep(50);
  }
}
