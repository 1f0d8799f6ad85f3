import { describe, expect, test } from '@jest/globals';
import { idsOf, sendBatch, sendingBatches } from '../kit/batch.ts';
import { sharedService } from '../kit/service.ts';
import { issue } from '../kit/tokens.ts';
import { unique, world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const batch = sendingBatches(() => w.rest);

const newId = { id: expect.any(Number) };

describe('a batch of contacts', () => {
  test('creates each that is valid, and tells what is wrong with the others', async () => {
    const taken = await w.contact({ email: unique('taken') });
    const email = unique('new');
    const { status, body } = await batch('contacts', 'create', [
      { full_name: ' Ana  Souza ', email },
      { email: 'x', phone: [] },
      { email: taken.email },
      'Ana',
      {},
    ]);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        results: [
          { index: 0, status: 201, ...newId },
          {
            index: 1,
            status: 422,
            id: null,
            code: 'validation_failed',
            errors: ['Email is invalid', 'Phone must be a string'],
            fields: { email: ['is invalid'], phone: ['must be a string'] },
            codes: { email: ['invalid'], phone: ['invalid'] },
          },
          {
            index: 2,
            status: 422,
            id: null,
            code: 'validation_failed',
            errors: ['Email has already been taken'],
            fields: { email: ['has already been taken'] },
            codes: { email: ['taken'] },
            conflict: { contact_id: taken.id },
          },
          {
            index: 3,
            status: 422,
            id: null,
            code: 'validation_failed',
            errors: ['Body must be an object'],
            fields: { body: ['must be an object'] },
            codes: { body: ['invalid'] },
          },
          { index: 4, status: 201, ...newId },
        ],
        summary: { created: 2, updated: 0, deleted: 0, failed: 3 },
      },
    });
    const created = await w.fetchContact(idsOf(body)[0] ?? 0);
    expect([created.full_name, created.email]).toEqual(['Ana Souza', email]);
  });

  test('updates those that match and creates the others, twice the same as one after the other', async () => {
    const known = await w.contact({ email: unique('known') });
    const email = unique('twice');
    const { body } = await batch('contacts', 'upsert', [
      { email: known.email, full_name: 'One' },
      { email, full_name: 'Two', label_list: ['a'] },
      { email: email.toUpperCase(), full_name: 'Three' },
      { email: known.email, phone: '+14155550123' },
    ]);
    const [, second] = idsOf(body);
    expect(body).toEqual({
      results: [
        { index: 0, status: 200, id: known.id },
        { index: 1, status: 201, ...newId },
        { index: 2, status: 200, id: second },
        { index: 3, status: 200, id: known.id },
      ],
      summary: { created: 1, updated: 3, deleted: 0, failed: 0 },
    });
    const { full_name, phone } = await w.fetchContact(known.id);
    expect([full_name, phone]).toEqual(['One', '+14155550123']);
    const other = await w.fetchContact(second ?? 0);
    expect([other.full_name, other.label_list]).toEqual(['Three', ['a']]);
  });

  test('changes those that are named by their ids', async () => {
    const [one, other] = [await w.contact(), await w.contact({ email: unique('a') })];
    const { body } = await batch('contacts', 'update', [
      { id: one.id, full_name: 'Changed' },
      { id: 999_999_999, full_name: 'x' },
      { id: String(other.id) },
      { full_name: 'x' },
      { id: one.id, email: other.email },
    ]);
    const missing = {
      id: null,
      status: 404,
      code: 'not_found',
      errors: ['Resource could not be found'],
    };
    expect(body).toEqual({
      results: [
        { index: 0, status: 200, id: one.id },
        { index: 1, ...missing },
        { index: 2, status: 200, id: other.id },
        {
          index: 3,
          status: 422,
          id: null,
          code: 'validation_failed',
          errors: ["Id can't be blank"],
          fields: { id: ["can't be blank"] },
          codes: { id: ['blank'] },
        },
        {
          index: 4,
          status: 422,
          id: null,
          code: 'validation_failed',
          errors: ['Email has already been taken'],
          fields: { email: ['has already been taken'] },
          codes: { email: ['taken'] },
          conflict: { contact_id: other.id },
        },
      ],
      summary: { created: 0, updated: 2, deleted: 0, failed: 3 },
    });
    expect((await w.fetchContact(one.id)).full_name).toBe('Changed');
  });

  test('deletes them with all that goes along, each once', async () => {
    const deal = await w.deal();
    const { id } = await w.contact();
    const { body } = await batch('contacts', 'delete', [
      { id: deal.contact_id },
      { id },
      { id },
      { id: 'x' },
    ]);
    const missing = {
      status: 404,
      id: null,
      code: 'not_found',
      errors: ['Resource could not be found'],
    };
    expect(body).toEqual({
      results: [
        { index: 0, status: 204, id: deal.contact_id },
        { index: 1, status: 204, id },
        { index: 2, ...missing },
        { index: 3, ...missing },
      ],
      summary: { created: 0, updated: 0, deleted: 2, failed: 2 },
    });
    expect((await w.rest.get(`/deals/${deal.id}`)).status).toBe(404);
  });
});

test('a record is refused that takes a scope which the token lacks', async () => {
  const token = await issue(service.database, w.admin, { scopes: ['deals:write'] });
  const deal = { stage_id: w.stageIds[0], contact_id: (await w.contact()).id };
  const records = [deal, { ...deal, contact_attributes: { email: unique('scope') } }];
  const { body } = await sendBatch(w.restAs(token), 'deals', 'upsert', records);
  expect(body.results).toEqual([
    { index: 0, status: 201, ...newId },
    {
      index: 1,
      status: 403,
      id: null,
      code: 'insufficient_scope',
      errors: ['The token lacks the scope contacts:write'],
    },
  ]);
});

describe('batches of the other records', () => {
  test('of deals: created, upserted, changed and removed', async () => {
    const { id: contact_id } = await w.contact();
    const email = unique('lead');
    const [stage_id, other_stage] = w.stageIds;
    const created = await batch('deals', 'create', [
      { name: 'A', contact_id, stage_id },
      { name: 'B', contact_id, stage_id, position: 1 },
      { name: 'C', contact_id, stage_id: 999_999_999 },
    ]);
    expect(created.body).toEqual({
      results: [
        { index: 0, status: 201, ...newId },
        { index: 1, status: 201, ...newId },
        {
          index: 2,
          status: 422,
          id: null,
          code: 'validation_failed',
          errors: ['Stage must exist'],
          fields: { stage_id: ['must exist'] },
          codes: { stage_id: ['not_found'] },
        },
      ],
      summary: { created: 2, updated: 0, deleted: 0, failed: 1 },
    });
    const [first, second] = idsOf(created.body);
    const upserted = await batch('deals', 'upsert', [
      { contact_id, name: 'A1' },
      { contact_attributes: { email }, stage_id, name: 'D' },
      { contact_attributes: { email }, stage_id: other_stage },
    ]);
    expect(upserted.body.results).toEqual([
      { index: 0, status: 200, id: first },
      { index: 1, status: 201, ...newId },
      { index: 2, status: 200, id: upserted.body.results[1]?.id },
    ]);
    const changed = await batch('deals', 'update', [
      { id: first, status: 'won' },
      { id: second, stage_id: other_stage, position: 1 },
    ]);
    expect(changed.body.summary).toEqual({ created: 0, updated: 2, deleted: 0, failed: 0 });
    const deal = await w.fetchDeal(second ?? 0);
    expect([deal.name, deal.stage_id, deal.position]).toEqual(['B', other_stage, 1]);
    const gone = await batch('deals', 'delete', [{ id: first }, { id: second }]);
    expect(gone.body.summary).toEqual({ created: 0, updated: 0, deleted: 2, failed: 0 });
  });

  test('of products and of products on deals, whose totals are exact', async () => {
    const made = await batch('products', 'create', [
      { name: 'Chair', amount_in_cents: 100 },
      { name: 'Table', amount_in_cents: '250' },
    ]);
    const [chair, table] = idsOf(made.body);
    const deal = await w.deal();
    const attached = await batch('deal_products', 'create', [
      { deal_id: deal.id, product_id: chair, quantity: 3 },
      { deal_id: deal.id, product_id: table },
      { deal_id: deal.id, product_id: 999_999_999 },
      { deal_id: deal.id },
    ]);
    expect(attached.body.results.map(({ status }) => status)).toEqual([201, 201, 404, 422]);
    const [one, other] = idsOf(attached.body);
    const changed = await batch('deal_products', 'update', [{ id: one, quantity: 5 }]);
    expect(changed.body.results).toEqual([{ index: 0, status: 200, id: one }]);
    expect((await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents).toBe(750);
    const kept = await batch('products', 'delete', [{ id: chair }]);
    expect(kept.body.results[0]?.fields).toEqual({ deal_products: ['still refer to it'] });
    await batch('deal_products', 'delete', [{ id: one }, { id: other }]);
    expect((await w.fetchDeal(deal.id)).total_deal_products_amount_in_cents).toBe(0);
    const renamed = await batch('products', 'update', [{ id: chair, name: 'Stool' }]);
    expect(renamed.body.summary).toEqual({ created: 0, updated: 1, deleted: 0, failed: 0 });
    const gone = await batch('products', 'delete', [{ id: chair }, { id: table }]);
    expect(gone.body.summary).toEqual({ created: 0, updated: 0, deleted: 2, failed: 0 });
  });

  test('of events, of a deal or of a contact', async () => {
    const deal = await w.deal();
    const { body } = await batch('events', 'create', [
      { kind: 'note', title: 'a', deal_id: deal.id },
      { kind: 'activity', title: 'b', contact_id: deal.contact_id, done: true },
      { kind: 'note', deal_id: deal.id, contact_id: 999_999_999 },
      { kind: 'note', contact_id: 999_999_999 },
      { title: 'x' },
    ]);
    expect(body.results).toEqual([
      { index: 0, status: 201, ...newId },
      { index: 1, status: 201, ...newId },
      {
        index: 2,
        status: 422,
        id: null,
        code: 'validation_failed',
        errors: ['Contact is not that of the path'],
        fields: { contact_id: ['is not that of the path'] },
        codes: { contact_id: ['invalid'] },
      },
      {
        index: 3,
        status: 404,
        id: null,
        code: 'not_found',
        errors: ['Resource could not be found'],
      },
      {
        index: 4,
        status: 422,
        id: null,
        code: 'validation_failed',
        errors: ["Kind can't be blank", "Contact can't be blank"],
        fields: { kind: ["can't be blank"], contact_id: ["can't be blank"] },
        codes: { kind: ['blank'], contact_id: ['blank'] },
      },
    ]);
    const [note, activity] = idsOf(body);
    const changed = await batch('events', 'update', [{ id: activity, done: false }]);
    expect(changed.body.summary.updated).toBe(1);
    const { events } = await w.fetchContact(deal.contact_id);
    const told = events.filter(({ id }) => id === note || id === activity);
    expect(told.map((event) => [event.title, event.deal_id, event.done_at])).toEqual([
      ['a', deal.id, null],
      ['b', null, null],
    ]);
    const gone = await batch('events', 'delete', [{ id: note }]);
    expect(gone.body.results).toEqual([{ index: 0, status: 204, id: note }]);
  });
});
