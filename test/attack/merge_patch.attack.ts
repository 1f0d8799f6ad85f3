/** Two integrations merge attributes into the same records. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { interleavedPatches } from '../kit/patches.ts';
import { type Service, startService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

test('of 1,000 merges by each of two integrations no key is lost', async () => {
  const { id } = await w.contact();
  await interleavedPatches(w.rest, `/contacts/${id}`, 1000);
  const entries = await service.database.query(
    "SELECT FROM audit_entries WHERE account_id = $1 AND action = 'contact.update'",
    [w.accountId],
  );
  expect(entries).toHaveLength(2000);
});
