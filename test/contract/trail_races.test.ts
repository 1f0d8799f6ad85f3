/**
 * However writes race, the audit trail adds up to what the tables hold, and none waits for one that
 * waits for it.
 */
import { beforeEach, expect, test } from '@jest/globals';
import { apply, contentsOf, readEntries, readReplica } from '../kit/replica.ts';
import { sharedService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
let w: World;
beforeEach(async () => {
  w = await world(service);
});

/** A deal that has a product, an assignee and a note. */
async function build(product_id?: number) {
  const attached = await w.dealProduct({
    quantity: 2,
    unit_amount_in_cents: 7,
    ...(product_id && { product_id }),
  });
  const { deal } = attached;
  const note = await w.rest.post<{ id: number }>(`/deals/${deal.id}/events`, { kind: 'note' });
  return { deal, attached, note: note.body };
}

type Built = Awaited<ReturnType<typeof build>>;

/** Does something, and compares the tables with what its entries made of them as they were. */
async function follow(work: () => Promise<void>): Promise<void> {
  const { database } = service;
  const replica = await readReplica(database, w.accountId);
  const known = (await readEntries(database, w.accountId)).length;
  await work();
  for (const entry of (await readEntries(database, w.accountId)).slice(known))
    apply(replica, entry);
  expect(contentsOf(replica)).toEqual(contentsOf(await readReplica(database, w.accountId)));
}

/** A victim reports its deadlock before it answers, as it has waited for a second by then. */
const deadlocks = () =>
  service.database.query(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );

/** What many do to one at once; each may find it gone. */
const writes: ((of: Built) => Promise<{ status: number }>)[] = [
  ({ deal }) => w.rest.delete(`/contacts/${deal.contact_id}`),
  ({ attached }) => w.rest.put(`/deal_products/${attached.id}`, { quantity: 5 }),
  ({ deal, attached: { product_id } }) =>
    w.rest.post('/deal_products', { deal_id: deal.id, product_id, unit_amount_in_cents: 3 }),
  ({ attached }) => w.rest.delete(`/deal_products/${attached.id}`),
  ({ deal }) => w.rest.put(`/deals/${deal.id}`, { stage_id: w.stageIds[1], position: 1 }),
  ({ deal: { contact_id } }) =>
    w.rest.post('/deals', { contact_id, stage_id: w.stageIds[0], position: 1 }),
  ({ deal: { contact_id } }) =>
    w.rest.post('/deals/upsert', { contact_id, stage_id: w.stageIds[0], name: 'x' }),
  ({ deal }) => w.rest.post('/deal_assignees', { deal_id: deal.id, user_id: w.member.id }),
  ({ deal }) => w.rest.post(`/deals/${deal.id}/events`, { kind: 'note' }),
  ({ note }) => w.rest.put(`/events/${note.id}`, { title: 'x' }),
  ({ note }) => w.rest.delete(`/events/${note.id}`),
  ({ deal }) => w.rest.put(`/deals/${deal.id}`, { status: 'won', name: 'x' }),
  ({ deal }) => w.rest.delete(`/deals/${deal.id}`),
];

test('deletions among other writes leave no row untold', async () => {
  const product = await w.product();
  const all: Built[] = [];
  for (let n = 0; n < 4; n += 1) all.push(await build(product.id));
  await follow(async () => {
    const answers = await Promise.all(
      all.flatMap((of, n) => writes.map((_, at) => writes[(at + n) % writes.length]?.(of))),
    );
    const known = [200, 201, 204, 404, 422];
    expect(answers.filter((answer) => !known.includes(answer?.status ?? 0))).toEqual([]);
  });
});

const removals: [string, (of: Built) => string][] = [
  ['contact', ({ deal }) => `/contacts/${deal.contact_id}`],
  ['deal', ({ deal }) => `/deals/${deal.id}`],
];

test.each(removals)('what comes to a deal as its %s is removed is told', async (_, path) => {
  const built = await build();
  await follow(async () => {
    const values = [w.accountId, built.deal.id, built.attached.product_id];
    const commit = await service.database.hold(
      'INSERT INTO deal_products (account_id, deal_id, product_id) VALUES ($1, $2, $3)',
      values,
    );
    const removed = w.rest.delete(path(built));
    await service.database.blocked(1);
    await commit('COMMIT');
    expect((await removed).status).toBe(204);
    // It was made behind the service's back, and so only its removal is recorded.
    const entries = await readEntries(service.database, w.accountId);
    const gone = entries.filter(({ action }) => action === 'deal_product.delete');
    expect(gone).toHaveLength(2);
    const [made] = gone.filter(({ record_id }) => record_id !== built.attached.id);
    await service.database.query('DELETE FROM audit_entries WHERE account_id = $1 AND id = $2', [
      w.accountId,
      made?.id,
    ]);
  });
});

const rivals: [string, (of: Built) => Promise<{ status: number }>][] = [
  ['removed', ({ attached }) => w.rest.delete(`/deal_products/${attached.id}`)],
  ['changed', ({ attached }) => w.rest.put(`/deal_products/${attached.id}`, { quantity: 5 })],
];

test.each(rivals)(
  'a deal is removed while its product is %s, without a deadlock',
  async (_, rival) => {
    const [built, before] = [await build(), await deadlocks()];
    await follow(async () => {
      const letGo = await service.database.hold('SELECT FROM deals WHERE id = $1 FOR UPDATE', [
        built.deal.id,
      ]);
      const removed = w.rest.delete(`/deals/${built.deal.id}`);
      await service.database.blocked(1);
      const second = rival(built);
      await service.database.blocked(2);
      await letGo();
      expect([(await removed).status, (await second).status]).toEqual([204, 404]);
    });
    // A deadlock's victim begins its transaction again.
    expect(await deadlocks()).toEqual(before);
  },
);

test('a contact is removed while its deal gets a product, without a deadlock', async () => {
  const { deal } = await build();
  const [product, before] = [await w.product(), await deadlocks()];
  await follow(async () => {
    const letGo = await service.database.hold('SELECT FROM products WHERE id = $1 FOR UPDATE', [
      product.id,
    ]);
    const added = w.rest.post('/deal_products', { deal_id: deal.id, product_id: product.id });
    await service.database.blocked(1);
    const removed = w.rest.delete(`/contacts/${deal.contact_id}`);
    await service.database.blocked(2);
    await letGo();
    expect([(await added).status, (await removed).status]).toEqual([201, 204]);
  });
  expect(await deadlocks()).toEqual(before);
});
