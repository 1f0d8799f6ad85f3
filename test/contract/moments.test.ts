/**
 * When records were created and updated: as they were written, whatever the write waited for, and all that one
 * request writes at the same moment.
 */
import { expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import type { Deal, Event, FetchedDealProduct } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

/** The database's own clock. */
async function clock(): Promise<string> {
  const [row] = await service.database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  if (!row) throw new Error('the clock was not told');
  return row.now.toISOString();
}

/** Sends a write that waits for another change of a row, which is committed once it waits. */
async function afterWaiting<T>(
  [table, id]: readonly [string, number],
  write: () => Promise<Answer<T>>,
): Promise<{ answer: Answer<T>; free: string }> {
  const letGo = await service.database.hold(`UPDATE ${table} SET id = id WHERE id = $1`, [id]);
  const answer = write();
  await service.database.blocked();
  const free = await clock();
  await letGo('COMMIT');
  return { answer: await answer, free };
}

test('a deal that waited for its stage was created after the wait, its event and entry with it', async () => {
  const contact = await w.contact();
  const stage = w.stageIds[0];
  const { answer, free } = await afterWaiting<Deal>(['stages', stage], () =>
    w.rest.post('/deals', { stage_id: stage, contact_id: contact.id }),
  );
  const { id, created_at, updated_at, contact_id } = answer.body;
  expect(created_at >= free).toBe(true);
  expect(updated_at).toBe(created_at);
  const [event] = await w.eventsOf({ id, contact_id });
  expect([event?.created_at, event?.done_at]).toEqual([created_at, created_at]);
  const [entry] = await service.database.query<{ created_at: Date }>(
    "SELECT created_at FROM audit_entries WHERE action = 'deal.create' AND record_id = $1",
    [id],
  );
  expect(entry?.created_at.toISOString()).toBe(created_at);
});

test('a change that waited for its record was made after the wait', async () => {
  const contact = await w.contact();
  const { answer, free } = await afterWaiting<Deal>(['contacts', contact.id], () =>
    w.rest.put(`/contacts/${contact.id}`, { full_name: 'Late' }),
  );
  expect(answer.body.updated_at >= free).toBe(true);
  expect(answer.body.created_at).toBe(contact.created_at);
});

test('a total that waited for its deal was updated after the wait', async () => {
  const [deal, product] = [await w.deal(), await w.product({ amount_in_cents: 1 })];
  const body = { deal_id: deal.id, product_id: product.id };
  const { answer, free } = await afterWaiting<FetchedDealProduct>(['deals', deal.id], () =>
    w.rest.post('/deal_products', body),
  );
  expect(answer.body.deal.updated_at >= free).toBe(true);
});

test('a total that waited for its deal as a quantity changed was updated after the wait', async () => {
  const [deal, product] = [await w.deal(), await w.product({ amount_in_cents: 1 })];
  const body = { deal_id: deal.id, product_id: product.id };
  const attached = await w.rest.post<FetchedDealProduct>('/deal_products', body);
  const { answer, free } = await afterWaiting<FetchedDealProduct>(['deals', deal.id], () =>
    w.rest.put(`/deal_products/${attached.body.id}`, { quantity: 2 }),
  );
  expect(answer.body.deal.updated_at >= free).toBe(true);
  expect(answer.body.updated_at).toBe(answer.body.deal.updated_at);
});

/** All moments that the entries of a request bear, and those in what they say was written. */
async function momentsOf(answer: Answer<unknown>): Promise<readonly string[]> {
  const rows = await service.database.query<{ created_at: Date; after: object | null }>(
    'SELECT created_at, after FROM audit_entries WHERE request_id = $1',
    [answer.headers['x-request-id']],
  );
  expect(rows).not.toHaveLength(0);
  const written = rows.flatMap(({ created_at, after }) => [
    created_at.toISOString(),
    ...Object.entries(after ?? {}).flatMap(([name, value]) =>
      ['won_at', 'lost_at', 'done_at'].includes(name) && typeof value === 'string' ? value : [],
    ),
  ]);
  return [...new Set(written)];
}

const closed = { won: 'won_at', lost: 'lost_at' } as const;

test.each(['won', 'lost'] as const)(
  'a deal created as %s was closed as it was created',
  async (status) => {
    const contact = await w.contact();
    const body = { stage_id: w.stageIds[0], contact_id: contact.id, status };
    const created = await w.rest.post<Deal>('/deals', body);
    expect([created.status, created.body.status]).toEqual([201, status]);
    expect(created.body[closed[status]]).toBe(created.body.created_at);
    expect(await momentsOf(created)).toEqual([created.body.created_at]);
  },
);

test.each(['won', 'lost'] as const)('a deal was %s at the moment of its change', async (status) => {
  const deal = await w.deal();
  const changed = await w.rest.put<Deal>(`/deals/${deal.id}`, { status });
  expect(changed.body[closed[status]]).toBe(changed.body.updated_at);
  expect(await momentsOf(changed)).toEqual([changed.body.updated_at]);
});

test('a deal that moves as it is won, and its events, have one moment', async () => {
  const [deal, contact] = [await w.deal(), await w.contact()];
  const body = { status: 'won', stage_id: w.stageIds[1], position: 1, contact_id: contact.id };
  const changed = await w.rest.put<Deal>(`/deals/${deal.id}`, body);
  expect(changed.body.won_at).toBe(changed.body.updated_at);
  expect(await momentsOf(changed)).toEqual([changed.body.updated_at]);
});

test('a deal and the contact that its upsert creates have one moment', async () => {
  const contact_attributes = { full_name: 'Ana', email: unique('one-moment') };
  const body = { stage_id: w.stageIds[0], status: 'won', contact_attributes };
  const created = await w.rest.post<Deal>('/deals/upsert', body);
  expect([created.status, created.body.won_at]).toEqual([201, created.body.created_at]);
  expect(await momentsOf(created)).toEqual([created.body.created_at]);
});

test('an activity that is done was done as it was written', async () => {
  const contact = await w.contact();
  const body = { kind: 'activity', done: true };
  const created = await w.rest.post<Event>(`/contacts/${contact.id}/events`, body);
  expect([created.status, created.body.done_at]).toEqual([201, created.body.created_at]);
  const open = await w.rest.post<Event>(`/contacts/${contact.id}/events`, { kind: 'activity' });
  const done = await w.rest.put<Event>(`/events/${open.body.id}`, { done: true });
  expect(done.body.done_at).toBe(done.body.updated_at);
});

test.each([false, true])('all that a batch writes has one moment, atomic: %s', async (atomic) => {
  const contact = await w.contact();
  const record = { stage_id: w.stageIds[0], contact_id: contact.id, status: 'won' };
  const records = Array.from({ length: 600 }, () => record);
  const batch = await w.rest.post('/deals/batch', { operation: 'create', atomic, records });
  expect(batch.body).toMatchObject({ summary: { created: 600, failed: 0 } });
  expect(await momentsOf(batch)).toHaveLength(1);
});
