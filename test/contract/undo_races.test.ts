/** Taking changes back while others go on writing. */
import { expect, test } from '@jest/globals';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';
import { followed, revert } from '../undo/revert.ts';

const service = await sharedService();

test('it is whole, and the trail tells all of it', async () => {
  const w = await world(service);
  const other = w.restAs(w.member.token);
  const deals = await Promise.all(Array.from({ length: 12 }, () => w.deal({ name: 'a' })));
  const product = await other.post<{ id: number }>('/products', { amount_in_cents: 7 });
  const statuses: number[] = [];
  let isOver = false;
  const write = async (writer: number) => {
    for (let n = writer; !isOver; n += 1) {
      const deal = deals[n % deals.length];
      const answers = [
        await other.put(`/deals/${deal?.id}`, { stage_id: w.stageIds[n % 3], position: 1 }),
        await other.put(`/contacts/${deal?.contact_id}`, { full_name: `b ${n}` }),
        await other.post('/deal_products', { deal_id: deal?.id, product_id: product.body.id }),
        await other.post(`/contacts/${deal?.contact_id}/events`, { kind: 'note' }),
      ];
      statuses.push(...answers.map(({ status }) => status));
    }
  };
  const own = { user_id: w.admin.id };
  await followed(w, async () => {
    const writers = [0, 1, 2, 3, 4, 5].map(write);
    await Promise.all([
      revert(w, own),
      ...[1, 2, 3].map(() => revert(w, { ...own, dry_run: true })),
    ]);
    await revert(w, own);
    isOver = true;
    await Promise.all(writers);
  });
  expect(statuses.filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
  for (const id of w.stageIds) {
    const { positions } = await w.board(id);
    expect(positions).toEqual(positions.map((__, at) => at + 1));
  }
});
