import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { run } from '../undo/run.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test.each([1, 2])(
  'what one of two did is taken back, and what the other did stays (%d)',
  async (seed) => {
    const { faults, reverted } = await run(service, 60, seed);
    expect(faults).toEqual([]);
    expect(reverted).toBeGreaterThan(0);
  },
);
