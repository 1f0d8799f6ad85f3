/** When records were created and updated: as they were written, whatever the write waited for. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../kit/http.ts';
import type { Deal, FetchedDealProduct } from '../kit/records.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
});
afterAll(() => service.close());

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
  const waiting = () =>
    service.database.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
  expect(await until(waiting, (rows) => rows.length > 0, 5000)).not.toHaveLength(0);
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
