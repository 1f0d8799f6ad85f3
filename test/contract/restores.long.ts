/** A large contact comes back. */
import { expect, test } from '@jest/globals';
import { startService } from '../kit/service.ts';
import { world } from '../kit/world.ts';
import { large } from '../undo/large.ts';

test('a contact with 400 deals and 5,000 events is back to the byte', async () => {
  const service = await startService();
  expect(await large(await world(service), 400, 5_000)).toBe(true);
  await service.close();
}, 60_000);
