import { describe, expect, test } from '@jest/globals';
import type { Deal, FetchedDealProduct } from '../kit/records.ts';
import { invalid, notFound } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { contactBody, moment, onePage } from '../kit/shapes.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

async function audited(action: string, id: number) {
  const [entry] = await service.database.query<{ before: unknown; after: unknown }>(
    'SELECT before, after FROM audit_entries WHERE account_id = $1 AND action = $2 AND record_id = $3',
    [w.accountId, action, id],
  );
  return entry;
}

describe('DELETE /deals/{id}', () => {
  test('204 with all that hangs on it; the contact stays', async () => {
    const { deal } = await w.dealProduct();
    const before = { events: await w.count('events'), contacts: await w.count('contacts') };
    expect(await w.restAs(w.member.token).delete(`/deals/${deal.id}`)).toAnswer(204, undefined);
    expect(await w.rest.get(`/deals/${deal.id}`)).toAnswer(404, notFound);
    expect(await w.rest.delete(`/deals/${deal.id}`)).toAnswer(404, notFound);
    for (const table of ['deal_products', 'deal_assignees', 'events']) {
      const left = await service.database.query(`SELECT FROM ${table} WHERE deal_id = $1`, [
        deal.id,
      ]);
      expect([table, left.length]).toEqual([table, 0]);
    }
    expect(await w.count('contacts')).toBe(before.contacts);
    expect(await w.count('events')).toBeLessThan(before.events);
  });

  const removals: [string, (deal: Deal) => string][] = [
    ['its own', (deal) => `/deals/${deal.id}`],
    ["its contact's", (deal) => `/contacts/${deal.contact_id}`],
  ];
  test.each(removals)('with %s removal the trail tells all fields of a deal', async (_, path) => {
    const sent = { status: 'lost', lost_reason: 'price', lost_at: '2026-03-01T10:00:00.000Z' };
    const deal = await w.deal({ ...sent, custom_attributes: { a: 1 } });
    expect(await w.rest.delete(path(deal))).toAnswer(204, undefined);
    const { id, account_id, created_at, updated_at, ...told } = deal;
    expect(await audited('deal.delete', id)).toEqual({ before: told, after: null });
  });

  test('the deals after it move up', async () => {
    const fresh = await world(service);
    const [stage_id] = fresh.stageIds;
    const deals = [await fresh.deal(), await fresh.deal(), await fresh.deal()];
    const [first, second, third] = deals.map((deal) => deal.id);
    expect(await fresh.rest.delete(`/deals/${second}`)).toAnswer(204, undefined);
    expect(await fresh.board(stage_id)).toEqual({ ids: [first, third], positions: [1, 2] });
    const fourth = await fresh.deal();
    expect(fourth.position).toBe(3);
  });

  test('deletions, moves and creations at once leave no gap and no repeat', async () => {
    const fresh = await world(service);
    const contact = await fresh.contact();
    const deals: Deal[] = [];
    for (let n = 0; n < 10; n++) deals.push(await fresh.deal({ contact_id: contact.id }));
    const answers = await Promise.all(
      deals.flatMap((deal, n) => [
        n % 2 === 0
          ? fresh.rest.delete(`/deals/${deal.id}`)
          : fresh.rest.put(`/deals/${deal.id}`, { stage_id: fresh.stageIds[n % 3], position: 1 }),
        fresh.rest.post('/deals', { stage_id: fresh.stageIds[n % 3], contact_id: contact.id }),
      ]),
    );
    expect(answers.filter(({ status }) => status > 204)).toEqual([]);
    for (const stage of fresh.stageIds) {
      const { positions } = await fresh.board(stage);
      expect(positions).toEqual(positions.map((_, at) => at + 1));
      const [row] = await service.database.query<{ deals_count: number }>(
        'SELECT deals_count FROM stages WHERE id = $1',
        [stage],
      );
      expect(row?.deals_count).toBe(positions.length);
    }
  });

  test('404 for a deal of another account', async () => {
    const theirs = await (await world(service)).deal();
    expect(await w.rest.delete(`/deals/${theirs.id}`)).toAnswer(404, notFound);
  });
});

describe('DELETE /products/{id}', () => {
  test('204', async () => {
    const product = await w.product({ name: 'Gone', custom_attributes: { a: 1 } });
    expect(await w.rest.delete(`/products/${product.id}`)).toAnswer(204, undefined);
    expect(await w.rest.get(`/products/${product.id}`)).toAnswer(404, notFound);
    expect(await w.rest.delete(`/products/${product.id}`)).toAnswer(404, notFound);
    expect(await audited('product.delete', product.id)).toMatchObject({
      before: { name: 'Gone', custom_attributes: { a: 1 } },
    });
  });

  test('422 while a deal holds it', async () => {
    const attached = await w.dealProduct();
    const path = `/products/${attached.product_id}`;
    expect(await w.rest.delete(path)).toAnswer(
      422,
      invalid({ deal_products: 'still refer to it' }),
    );
    await w.rest.delete(`/deal_products/${attached.id}`);
    expect(await w.rest.delete(path)).toAnswer(204, undefined);
  });

  test('404 for a product of another account', async () => {
    const theirs = await (await world(service)).product();
    expect(await w.rest.delete(`/products/${theirs.id}`)).toAnswer(404, notFound);
  });
});

describe('DELETE /deal_products/{id}', () => {
  test('204: the total shrinks, and an event tells', async () => {
    const product = await w.product({ name: 'Chair', amount_in_cents: 250 });
    const deal = await w.deal({ name: 'Office' });
    const attached = await w.dealProduct({ deal_id: deal.id, product_id: product.id, quantity: 3 });
    await w.dealProduct({ deal_id: deal.id, unit_amount_in_cents: 10 });
    expect(await w.rest.delete(`/deal_products/${attached.id}`)).toAnswer(204, undefined);
    expect(await w.rest.get(`/deal_products/${attached.id}`)).toAnswer(404, notFound);
    expect(await w.fetchDeal(deal.id)).toMatchObject({ total_deal_products_amount_in_cents: 10 });
    const removed = (await w.eventsOf(deal)).filter(
      (event) => event.kind === 'deal_product_removed',
    );
    expect(removed.map((event) => event.additional_attributes)).toEqual([
      { product_id: product.id, product_name: 'Chair', deal_id: deal.id, deal_name: 'Office' },
    ]);
    expect(await audited('deal_product.delete', attached.id)).toMatchObject({
      before: { product_id: product.id, deal_id: deal.id, quantity: 3, unit_amount_in_cents: 250 },
    });
  });

  test('of the same one many times at once: once, and the total is exact', async () => {
    const deal = await w.deal();
    const attached = await w.dealProduct({ deal_id: deal.id, unit_amount_in_cents: 7 });
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => w.rest.delete(`/deal_products/${attached.id}`)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
    expect((await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents).toBe(0);
  });

  test('404 for one of another account', async () => {
    const theirs = await (await world(service)).dealProduct();
    expect(await w.rest.delete(`/deal_products/${theirs.id}`)).toAnswer(404, notFound);
  });
});

test('POST /deal_products/search', async () => {
  const {
    product: _,
    deal: __,
    ...attached
  } = await w.dealProduct({ product_name: 'Found by name' });
  const query = { product_name_cont: 'found by', quantity_eq: 1 };
  expect(await w.rest.post('/deal_products/search', { query })).toAnswer(200, onePage([attached]));
  const { body } = await w.rest.get<FetchedDealProduct>(`/deal_products/${attached.id}`);
  expect(body.product_name).toBe('Found by name');
});

describe('PUT /contacts/{id}', () => {
  test('200: what is sent changes, the rest stays', async () => {
    const contact = await w.contact({
      full_name: 'Ana',
      label_list: ['vip'],
      phone: '+14155552671',
    });
    const sent = { full_name: '  Ana   Souza ', email: ' ANA@Example.com' };
    const expected = contactBody(w.accountId, {
      ...contact,
      full_name: 'Ana Souza',
      email: 'ana@example.com',
      updated_at: moment,
    });
    expect(await w.rest.put(`/contacts/${contact.id}`, sent)).toAnswer(200, expected);
    expect(await w.rest.send('PATCH', `/contacts/${contact.id}`, {})).toAnswer(200, expected);
  });

  test('200 for the fetched contact sent back', async () => {
    const contact = await w.contact({ email: unique('same'), label_list: ['a'] });
    expect(await w.rest.put(`/contacts/${contact.id}`, { ...contact })).toAnswer(200, contact);
  });

  test('422 for an e-mail and a phone that others have, beside what else is wrong', async () => {
    const email = unique('taken');
    const { id: contact_id } = await w.contact({ email });
    await w.contact({ phone: '+14155550177' });
    const contact = await w.contact();
    const path = `/contacts/${contact.id}`;
    const taken = { email: 'has already been taken', phone: 'has already been taken' };
    const sent = { email, phone: '+1 415 555 0177' };
    expect(await w.rest.put(path, sent)).toAnswer(422, invalid(taken, { contact_id }));
    expect(await w.rest.put(path, { ...sent, full_name: 1.5 })).toAnswer(
      422,
      invalid({ full_name: 'must be a string', ...taken }, { contact_id }),
    );
  });

  test('404 before 422, and across accounts', async () => {
    const theirs = await (await world(service)).contact();
    expect(await w.rest.put(`/contacts/${theirs.id}`, { email: 'x' })).toAnswer(404, notFound);
  });
});
