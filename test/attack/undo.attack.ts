/**
 * Many accounts in which two writers make random writes side by side, and what one of them did is
 * taken back.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type Door, type Outcome, run } from '../undo/run.ts';

const runs = process.env['UNDO_RUNS'];
const writes = Number(process.env['UNDO_WRITES'] ?? 500);
const seed = Number(process.env['UNDO_SEED'] ?? 1);
const atOnce = 4;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.each<readonly [string, Door, number]>([
  ['one of two did is taken back', 'rest', Number(runs ?? 200)],
  ['a wild agent did is taken back by its own tool', 'mcp', Number(runs ?? 100)],
])(
  'what %s (%s, %d times)',
  async (_, door, times) => {
    const outcomes: Outcome[] = [];
    const seeds = Array.from({ length: times }, (_, at) => seed + at);
    const worker = async () => {
      for (let next = seeds.shift(); next !== undefined; next = seeds.shift()) {
        const outcome = await run(service, writes, next, door);
        expect([next, outcome.faults]).toEqual([next, []]);
        outcomes.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const sum = (of: 'reverted' | 'conflicts') =>
      outcomes.reduce((all, outcome) => all + outcome[of], 0);
    process.stdout.write(
      `${times} runs by ${door}: ${sum('reverted')} records put back or removed, ${sum('conflicts')} left and told\n`,
    );
  },
  7_200_000,
);
