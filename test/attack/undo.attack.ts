/**
 * Many accounts in which two writers make random writes side by side, and what one of them did is
 * taken back.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type Outcome, run } from '../undo/run.ts';

const runs = Number(process.env['UNDO_RUNS'] ?? 200);
const writes = Number(process.env['UNDO_WRITES'] ?? 500);
const seed = Number(process.env['UNDO_SEED'] ?? 1);
const atOnce = 4;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test(`what one of two did is taken back, ${runs} times`, async () => {
  const outcomes: Outcome[] = [];
  const seeds = Array.from({ length: runs }, (_, at) => seed + at);
  const worker = async () => {
    for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
      const outcome = await run(service, writes, next);
      expect([next, outcome.faults]).toEqual([next, []]);
      outcomes.push(outcome);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const sum = (of: 'reverted' | 'conflicts') =>
    outcomes.reduce((all, outcome) => all + outcome[of], 0);
  process.stdout.write(
    `${runs} runs: ${sum('reverted')} records put back or removed, ${sum('conflicts')} left and told\n`,
  );
}, 7_200_000);
