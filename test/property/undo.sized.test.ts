import { expect, test } from '@jest/globals';
import { sample } from '../kit/sample.ts';
import { sharedService } from '../kit/service.ts';
import { run } from '../undo/run.ts';

const service = await sharedService();

/** `UNDO_RUNS=300` looks longer; `UNDO_WRITES` are of each of the two in a run. */
const runs = Number(process.env.UNDO_RUNS ?? 4);
const writes = Number(process.env.UNDO_WRITES ?? 60);
const doors = ['rest', 'mcp'] as const;
const seeds = Array.from(
  { length: runs },
  (_, n) => [doors[(n >> 1) % 2] ?? 'rest', n + 1] as const,
);

test.each(process.env.UNDO_RUNS ? seeds : sample(seeds, 3))(
  'what one of two did is taken back, and what the other did stays (%s, %d)',
  async (door, seed) => {
    const { faults, reverted } = await run(service, writes, seed, door);
    expect(faults).toEqual([]);
    expect(reverted).toBeGreaterThan(0);
  },
);
