/** However writes race, the audit trail adds up to what the tables hold, and nobody waits for one who waits. */
import { expect, test } from '@jest/globals';
import { createDatabase } from '../kit/database.ts';
import { apply, contentsOf, readEntries, readReplica } from '../kit/replica.ts';
import { startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

/** A contact with a deal at the first stage, which has a product, an assignee and a note. */
async function build(w: World, product_id: number) {
  const deal = await w.deal();
  const attached = await w.dealProduct({ deal_id: deal.id, product_id, quantity: 2 });
  const note = await w.rest.post<{ id: number }>(`/deals/${deal.id}/events`, { kind: 'note' });
  return { deal, attached, note: note.body };
}

type Built = Awaited<ReturnType<typeof build>>;

/** What many do to one at once; each may find it gone. */
const writes: ((w: World, of: Built, product: number) => Promise<{ status: number }>)[] = [
  ({ rest }, { deal }) => rest.delete(`/contacts/${deal.contact_id}`),
  ({ rest }, { attached }) => rest.put(`/deal_products/${attached.id}`, { quantity: 5 }),
  ({ rest }, { deal }, product_id) =>
    rest.post('/deal_products', { deal_id: deal.id, product_id, unit_amount_in_cents: 3 }),
  ({ rest }, { attached }) => rest.delete(`/deal_products/${attached.id}`),
  ({ rest, stageIds }, { deal }) =>
    rest.put(`/deals/${deal.id}`, { stage_id: stageIds[1], position: 1 }),
  ({ rest, stageIds }, { deal }) =>
    rest.post('/deals', { contact_id: deal.contact_id, stage_id: stageIds[0], position: 1 }),
  ({ rest, stageIds }, { deal }) =>
    rest.post('/deals/upsert', { contact_id: deal.contact_id, stage_id: stageIds[0], name: 'x' }),
  ({ rest, member }, { deal }) =>
    rest.post('/deal_assignees', { deal_id: deal.id, user_id: member.id }),
  ({ rest }, { deal }) => rest.post(`/deals/${deal.id}/events`, { kind: 'note' }),
  ({ rest }, { note }) => rest.put(`/events/${note.id}`, { title: 'x' }),
  ({ rest }, { note }) => rest.delete(`/events/${note.id}`),
  ({ rest }, { deal }) => rest.put(`/deals/${deal.id}`, { status: 'won', name: 'x' }),
  ({ rest }, { deal }) => rest.delete(`/deals/${deal.id}`),
];

test('deletions among other writes leave no row untold and no deadlock', async () => {
  const database = await createDatabase();
  const service = await startService({ database });
  const w = await world(service);
  const product = (await w.product({ amount_in_cents: 7 })).id;
  const all: Built[] = [];
  for (let n = 0; n < 6; n += 1) all.push(await build(w, product));
  const replica = await readReplica(database, w.accountId);
  const known = (await readEntries(database, w.accountId)).length;
  const answers = await Promise.all(
    all.flatMap((of, n) =>
      writes.map((_, at) => writes[(at + n) % writes.length]?.(w, of, product)),
    ),
  );
  expect(
    answers.filter((answer) => ![200, 201, 204, 404, 422].includes(answer?.status ?? 0)),
  ).toEqual([]);
  for (const entry of (await readEntries(database, w.accountId)).slice(known))
    apply(replica, entry);
  expect(contentsOf(replica)).toEqual(contentsOf(await readReplica(database, w.accountId)));
  await service.close();
  // The service's connections tell what they counted as they end.
  await until(
    () =>
      database.query(
        "SELECT FROM pg_stat_activity WHERE application_name = 'crm' AND datname = current_database()",
      ),
    (open) => open.length === 0,
    5000,
  );
  expect(
    await database.query(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    ),
  ).toEqual([{ deadlocks: 0 }]);
  await database.close();
});
