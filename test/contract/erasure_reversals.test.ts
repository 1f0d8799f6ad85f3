/** Nothing of a contact that was erased comes back by what takes changes back. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/wait.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** Rows that hold a text, of all tables that there are. */
async function holding(marker: string): Promise<readonly string[]> {
  const tables = await service.database.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await service.database.query<{ row: string }>(
      `SELECT row::text FROM "${name}" AS row WHERE row::text ILIKE '%' || $1 || '%'`,
      [marker],
    );
    found.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return found;
}

/** A contact with the text in all that can hold one, and beneath it what was changed and removed. */
async function marked(w: World, marker: string, n: number): Promise<number> {
  const { id } = await w.contact({
    ...{ full_name: `${marker} ${n}`, email: `${marker}.${n}@x.example`, label_list: [marker] },
    custom_attributes: { [marker]: [marker] },
  });
  const deals: number[] = [];
  for (const name of ['one', 'two']) {
    const deal = await w.deal({ contact_id: id, name: `${marker} ${name}` });
    const note = { kind: 'note', content: marker };
    await w.rest.post(`/deals/${deal.id}/events`, note);
    await w.rest.post(`/contacts/${id}/events`, note);
    await w.dealProduct({ deal_id: deal.id, product_name: marker });
    await w.updateDeal(deal.id, { name: `${marker} again`, status: 'lost', lost_reason: marker });
    deals.push(deal.id);
  }
  await w.rest.put(`/contacts/${id}`, { full_name: `${marker} changed` });
  await w.rest.delete(`/deals/${deals[1]}`);
  return id;
}

test('restoring, merging and taking back everything leaves no trace of it', async () => {
  const w = await world(service);
  const marker = `zebedee${w.accountId}`;
  const [one, two] = [await marked(w, marker, 1), await marked(w, marker, 2)];
  const merge = async (request: string) => {
    const headers = { 'x-request-id': request };
    const body = { from: [two] };
    expect((await w.rest.post(`/contacts/${one}/merge`, body, headers)).status).toBe(200);
  };
  const revert = (request_id: string) =>
    w.graphql.send(
      'mutation ($a: Integer!, $r: Text!) { revert_changes(account_id: $a, input: {request_id: $r}) { reverted } }',
      { a: w.accountId, r: request_id },
    );
  await merge('first');
  expect((await revert('first')).body.errors).toBeUndefined();
  await merge('second');
  await w.rest.delete(`/contacts/${one}`, { 'x-request-id': 'removed' });
  expect((await w.rest.post(`/contacts/${one}/restore`)).status).toBe(200);
  await w.graphql.data(
    `mutation { erase_contact(account_id: ${w.accountId}, id: ${one}) { done } }`,
  );
  const left = () =>
    service.database.query('SELECT FROM erasures WHERE account_id = $1', [w.accountId]);
  await until(left, ({ length }) => length === 0, 20_000);
  expect(await holding(marker)).toEqual([]);

  const trail = await service.database.query<{ request_id: string; type: string; id: number }>(
    `SELECT DISTINCT request_id, record_type AS type, record_id AS id FROM audit_entries
      WHERE account_id = $1 ORDER BY request_id, record_type, record_id`,
    [w.accountId],
  );
  const statuses = new Set<number>();
  const restorable = ['contact', 'deal', 'product', 'deal_product', 'event'];
  for (const { type, id } of trail.filter((entry) => restorable.includes(entry.type))) {
    statuses.add((await w.rest.post(`/${type}s/${id}/restore`)).status);
  }
  for (const request of new Set(trail.map(({ request_id }) => request_id))) {
    const { body } = await revert(request);
    const codes = body.errors?.map(({ extensions }) => extensions.code) ?? [];
    expect([request, codes]).toEqual([
      request,
      codes.filter((code) => code === 'VALIDATION_FAILED'),
    ]);
  }
  const other = await w.contact();
  for (const from of [one, two]) {
    statuses.add((await w.rest.post(`/contacts/${other.id}/merge`, { from: [from] })).status);
  }
  expect([...statuses].filter((status) => ![404, 410, 422].includes(status))).toEqual([]);
  expect(await holding(marker)).toEqual([]);
});
