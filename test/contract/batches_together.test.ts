/** Records of a batch that are written together. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { idsOf, sendBatch, sendingBatches } from '../kit/batch.ts';
import type { Contact, Deal } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { type Input, unique, type World, world } from '../kit/world.ts';
import { followed } from '../undo/revert.ts';

const service = await sharedService();
let w = await world(service);

const batch = sendingBatches(() => w.rest);

describe('many contacts', () => {
  const people = (count: number, domain = unique('many')) =>
    Array.from({ length: count }, (_, n) => ({
      email: `${n}.${domain}`,
      full_name: `Person ${n}`,
    }));

  test('cost as many statements as few, in the order in which they were sent', async () => {
    const records = people(1000);
    const sentFor = async (operation: string, given: readonly Input[] = records) => {
      service.statements.length = 0;
      const { body } = await batch('contacts', operation, given);
      expect(body.summary.failed).toBe(0);
      return {
        ids: idsOf(body),
        sent: service.statements.filter((text) => !/api_tokens/.test(text)),
      };
    };
    const created = await sentFor('upsert');
    const each = ['BEGIN', 'SELECT', 'SELECT', 'SELECT', 'WITH', 'COMMIT'];
    const kinds = created.sent.map((text) => text.slice(0, text.search(/\s|$/)));
    expect(kinds).toEqual([...each, ...each, ...each, ...each]);
    expect(created.ids).toEqual([...created.ids].sort((one, other) => one - other));
    const renamed = records.map((record) => ({ ...record, full_name: 'New' }));
    const changed = await sentFor('upsert', renamed);
    expect([changed.sent.length, changed.ids]).toEqual([20, created.ids]);
    const named = created.ids.map((id) => ({ id, label_list: 'x' }));
    expect((await sentFor('update', named)).sent).toHaveLength(20);
  });

  test('are created once, however many write the same at once in whatever order', async () => {
    const records = people(60);
    const single = (record: Input) => w.rest.post<Contact>('/contacts/upsert', record);
    const [one, other, ...singles] = await Promise.all([
      batch('contacts', 'upsert', records),
      batch('contacts', 'upsert', [...records].reverse()),
      ...records.slice(20, 40).map(single),
    ]);
    const all = [...one.body.results, ...other.body.results, ...singles];
    const created = all.filter(({ status }) => status === 201);
    expect([created.length, all.filter(({ status }) => status === 200).length]).toEqual([60, 80]);
    expect(idsOf(one.body)).toEqual(idsOf(other.body).reverse());
  });
});

test('many deals are put at the ends of their stages together', async () => {
  const { id: contact_id } = await w.contact();
  const [first, second] = w.stageIds;
  const records = Array.from({ length: 50 }, (_, n) => ({
    name: `Deal ${n}`,
    contact_id,
    stage_id: n % 5 === 0 ? second : first,
  }));
  const before = await w.board(first);
  service.statements.length = 0;
  const { body } = await batch('deals', 'create', records);
  const sent = service.statements.filter((text) => !/api_tokens/.test(text));
  expect(sent.map((text) => text.slice(0, text.search(/\s|$/)))).toEqual([
    ...['BEGIN', 'SELECT', 'SELECT', 'SELECT', 'WITH', 'COMMIT'],
  ]);
  const { ids, positions } = await w.board(first);
  expect(ids).toEqual([...before.ids, ...idsOf(body).filter((_, n) => n % 5 !== 0)]);
  expect(positions).toEqual(ids.map((_, n) => n + 1));
});

test('many deals are upserted in as many statements as few, with their contacts', async () => {
  w = await world(service);
  const [first, second] = w.stageIds;
  const lead = () => ({ contact_attributes: { email: unique('lead') }, stage_id: first });
  const upsert = async (records: readonly Input[]) => {
    service.statements.length = 0;
    const { body } = await followed(w, () => batch('deals', 'upsert', records));
    return { body, sent: service.statements.filter((text) => !/api_tokens/.test(text)).length };
  };
  const known = Array.from({ length: 20 }, lead);
  const { body, sent } = await upsert(known);
  expect([body.summary.created, sent]).toEqual([20, (await upsert([lead()])).sent]);
  const mixed = known.flatMap((record) => [{ ...record, status: 'won' }, lead()]);
  const again = await upsert(mixed);
  expect(again.body.summary).toMatchObject({ created: 20, updated: 20 });
  expect(again.sent).toBe((await upsert([{ ...known[0], status: 'lost' }, lead()])).sent);
  const moved = await upsert([
    { ...known[0], stage_id: second },
    lead(),
    { ...known[1], stage_id: second },
  ]);
  const places = await Promise.all(idsOf(moved.body).map((id) => w.fetchDeal(id)));
  const before = (await w.board(second)).ids.length - 2;
  expect(places.map(({ stage_id, position }) => [stage_id, position])).toEqual([
    [second, before + 1],
    [first, (await w.board(first)).ids.length],
    [second, before + 2],
  ]);
});

describe('many products of deals', () => {
  let deal: Deal;
  let attached: number[] = [];
  beforeAll(async () => {
    w = await world(service);
  });
  const together = async (operation: string, records: readonly Input[]) => {
    service.statements.length = 0;
    const { body } = await followed(w, () => batch('deal_products', operation, records));
    return { body, sent: service.statements.filter((text) => !/api_tokens/.test(text)).length };
  };
  const total = async () => (await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents;

  test('come in as many statements as few, with what the deal comes to after each', async () => {
    deal = await w.deal();
    const product = await w.product({ amount_in_cents: 7 });
    const record = { deal_id: deal.id, product_id: product.id };
    const { body, sent } = await together('create', Array(40).fill(record));
    attached = idsOf(body);
    expect([body.summary.created, await total()]).toEqual([40, 280]);
    expect((await together('create', [record])).sent).toBe(sent);
    const [last] = await service.database.query<{ before: unknown }>(
      `SELECT before FROM audit_entries WHERE account_id = $1 AND action = 'deal.update' ORDER BY id DESC LIMIT 1`,
      [w.accountId],
    );
    expect(last).toEqual({ before: { total_deal_products_amount_in_cents: 280 } });
  });

  test('change and go in as many statements as few', async () => {
    const records = attached.map((id, n) => ({ id, quantity: 2 + (n % 2) }));
    const { body, sent } = await together('update', records);
    expect([body.summary.updated, await total()]).toEqual([40, 7 + 40 * 7 * 2.5]);
    expect((await together('update', [{ id: attached[0], quantity: 1 }])).sent).toBe(sent);
    const gone = await together('delete', records.slice(1));
    expect([gone.body.summary.deleted, await total()]).toEqual([39, 14]);
    expect((await together('delete', records.slice(0, 1))).sent).toBe(gone.sent);
  });

  test('are refused where they make the total too large, and no others', async () => {
    const { id: product_id } = await w.product({ amount_in_cents: 2 ** 52 });
    const { id: deal_id } = await w.deal();
    const record = { deal_id, product_id };
    const { body } = await together('create', [
      record,
      { ...record, quantity: 2 },
      record,
      { ...record, quantity: 3 },
      { ...record, unit_amount_in_cents: 1 },
    ]);
    expect(body.results.map(({ status }) => status)).toEqual([201, 422, 422, 422, 201]);
    expect(body.results[2]?.fields).toEqual({
      quantity: ['makes the total larger than 9007199254740991'],
    });
    // The first would do so before the second makes room for it.
    const [first, last] = idsOf(body).filter((id) => id > 0);
    const changed = await together('update', [
      { id: last, quantity: 2 ** 52 },
      { id: first, unit_amount_in_cents: 0 },
    ]);
    expect(changed.body.results.map(({ status }) => status)).toEqual([422, 200]);
  });
});

describe('many deals that move', () => {
  let own: World;
  let ids: number[] = [];
  beforeAll(async () => {
    own = await world(service);
    const { id: contact_id } = await own.contact();
    const records = Array(150).fill({ contact_id, stage_id: own.stageIds[0] });
    ids = idsOf((await sendBatch(own.rest, 'deals', 'create', records)).body);
  });

  /** Moves deals, and does the same to lists of their ids. */
  async function moved(moves: readonly { id: number; stage_id: number; position?: number }[]) {
    const lists = new Map<number, number[]>();
    for (const id of own.stageIds) lists.set(id, (await own.board(id)).ids);
    for (const { id, stage_id, position } of moves) {
      for (const list of lists.values()) if (list.includes(id)) list.splice(list.indexOf(id), 1);
      const list = lists.get(stage_id);
      list?.splice(Math.min(position ?? Number.POSITIVE_INFINITY, list.length + 1) - 1, 0, id);
    }
    service.statements.length = 0;
    const { body } = await followed(own, () => sendBatch(own.rest, 'deals', 'update', moves));
    expect(body.summary).toMatchObject({ updated: moves.length, failed: 0 });
    const sent = service.statements.filter((text) => !/api_tokens/.test(text)).length;
    for (const [id, list] of lists) {
      const board = await own.board(id);
      expect([board.ids, board.positions]).toEqual([list, list.map((_, at) => at + 1)]);
    }
    return sent;
  }

  test('do so one after the other, in as many statements as few', async () => {
    const moves = ids
      .filter((_, n) => n % 2 === 1)
      .map((id) => ({ id, stage_id: own.stageIds[1] }));
    expect(await moved(moves.slice(0, 2))).toBe(await moved(moves.slice(2)));
  });

  test('get their places also where those of others have to be looked up', async () => {
    // By now the stage has lost every other deal, so that its order no longer fits into a few pieces.
    const back = ids
      .slice(60, 80)
      .map((id, n) => ({ id, stage_id: own.stageIds[0], position: 5 + 7 * (n % 4) }));
    await moved(back);
  });

  test('stand in order whoever moves them at the same time', async () => {
    const some = ids.slice(0, 40);
    const to = (n: number) => ({ stage_id: own.stageIds[n % 3] ?? 0, position: 1 + (n % 5) });
    const batchOf = (of: readonly number[], k: number) =>
      sendBatch(
        own.rest,
        'deals',
        'update',
        of.map((id, n) => ({ id, ...to(n + k) })),
      );
    const calls = await followed(own, () =>
      Promise.all([
        ...[some, [...some].reverse(), some.slice(10, 30)].map(batchOf),
        ...some.slice(0, 10).map((id, n) => own.rest.put(`/deals/${id}`, to(n))),
        sendBatch(
          own.rest,
          'deals',
          'delete',
          ids.slice(140).map((id) => ({ id })),
        ),
      ]),
    );
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 200));
    for (const id of own.stageIds) {
      const { positions } = await own.board(id);
      expect(positions).toEqual(positions.map((_, at) => at + 1));
    }
  });

  test('go in as many statements as few', async () => {
    const remove = async (some: readonly number[]) => {
      const records = some.map((id) => ({ id }));
      service.statements.length = 0;
      const { body } = await followed(own, () => sendBatch(own.rest, 'deals', 'delete', records));
      expect(body.summary.deleted).toBe(some.length);
      return service.statements.filter((text) => !/api_tokens/.test(text)).length;
    };
    expect(await remove(ids.slice(0, 1))).toBe(await remove(ids.slice(1, 60)));
    for (const id of own.stageIds) {
      const { positions } = await own.board(id);
      expect(positions).toEqual(positions.map((_, at) => at + 1));
    }
  });
});
