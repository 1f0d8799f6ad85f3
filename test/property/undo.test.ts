import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { run } from '../undo/run.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.each([
  ['rest', 1],
  ['rest', 2],
  ['mcp', 3],
  ['mcp', 4],
] as const)(
  'what one of two did is taken back, and what the other did stays (%s, %d)',
  async (door, seed) => {
    const { faults, reverted } = await run(service, 60, seed, door);
    expect(faults).toEqual([]);
    expect(reverted).toBeGreaterThan(0);
  },
);
