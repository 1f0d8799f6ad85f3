/** What answers of a deal say that another request moves at the same time. */
import { expect, test } from '@jest/globals';
import type { Deal } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();

// A statement that waited for a row sees it as it is by then, and the stage as it was before.
test.each([
  ['plain', 0],
  ['in pieces', 2],
])(
  'what waited for a move to the front says that the deal stands there, in an order that is %s',
  async (_, moves) => {
    const w = await world(service);
    const [stage_id] = w.stageIds;
    const others = await Promise.all(Array.from({ length: 4 }, () => w.deal({ stage_id })));
    for (const other of others.slice(0, moves)) await w.updateDeal(other.id, { position: 3 });
    const { id } = await w.deal({ stage_id });
    const product = await w.product();
    const { database } = service;
    const letGo = await database.hold(
      'SELECT FROM deals WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [w.accountId, id],
    );
    const move = w.rest.put<Deal>(`/deals/${id}`, { position: 1 });
    await database.blocked();
    const addition = w.rest.post<{ deal: Deal }>('/deal_products', {
      deal_id: id,
      product_id: product.id,
    });
    const renaming = w.rest.put<Deal>(`/deals/${id}`, { name: 'renamed' });
    await database.blocked(3);
    await letGo();
    expect((await move).body.position).toBe(1);
    expect((await addition).body.deal.position).toBe(1);
    expect((await renaming).body.position).toBe(1);
  },
);
