/** What a large contact takes to come back. */
import { expect, test } from '@jest/globals';
import { startService } from '../kit/service.ts';
import { world } from '../kit/world.ts';
import { large } from '../undo/large.ts';

test('a contact with 400 deals and 5,000 events is back within two seconds', async () => {
  const service = await startService();
  const { isSame, ms } = await large(await world(service), 400, 5_000);
  expect(isSame).toBe(true);
  expect(ms).toBeLessThan(2_000);
  await service.close();
}, 60_000);
