import { describe, expect, test } from '@jest/globals';
import type { Deal, Product } from '../kit/records.ts';
import { invalidFields } from '../kit/refusals.ts';
import { sharedService, startService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const largest = 9_007_199_254_740_991;

describe('integers in a body', () => {
  test.each([
    ['12', 12],
    ['"12"', 12],
    ['0', 0],
    ['"0"', 0],
    ['1.0', 1],
    ['1e2', 100],
    ['9007199254740991', largest],
    ['"9007199254740991"', largest],
  ])('%s is read as %d', async (sent, kept) => {
    const answer = await w.rest.post<Product>('/products', `{"amount_in_cents":${sent}}`);
    expect(answer).toAnswer(201);
    expect(answer.body.amount_in_cents).toBe(kept);
    expect(answer.text).toContain(`"amount_in_cents":${kept},`);
  });

  test.each([
    '"12a"',
    '1.5',
    'true',
    'false',
    '" "',
    '" 12"',
    '"12 "',
    '"+12"',
    '"012"',
    '"1e2"',
    '"1.0"',
    '"0x10"',
    '"-0"',
    '"１２"',
    '[]',
    '[12]',
    '{}',
    '-1',
    '"-1"',
    '9007199254740992',
    '"9007199254740992"',
    '9007199254740993',
    '99999999999999999999',
    '1e400',
    '1e16',
    '0.1e-400',
    '1.00000000000000000001',
  ])('%s is a 422 that names the field', async (sent) => {
    const answer = await w.rest.post('/products', `{"amount_in_cents":${sent}}`);
    expect(answer).toAnswer(422, invalidFields('amount_in_cents'));
  });

  test.each(['stage_id', 'contact_id', 'pipeline_id', 'position'])(
    'the same rules hold for %s',
    async (field) => {
      const { id } = await w.deal();
      for (const wrong of [
        '"12a"',
        '1.5',
        'true',
        '"1e2"',
        '9007199254740992',
        '1e400',
        '0',
        '-1',
      ]) {
        const answer = await w.rest.put(`/deals/${id}`, `{"${field}":${wrong}}`);
        expect(answer).toAnswer(422, invalidFields(field));
      }
    },
  );

  test('ids are accepted as decimal strings', async () => {
    const contact = await w.contact();
    const sent = {
      stage_id: `${w.stageIds[0]}`,
      pipeline_id: `${w.pipelineId}`,
      contact_id: `${contact.id}`,
      position: '1',
    };
    const deal = await w.rest.post<Deal>('/deals', sent);
    expect(deal).toAnswer(201);
    expect(deal.body).toMatchObject({
      stage_id: w.stageIds[0],
      contact_id: contact.id,
      position: 1,
    });
  });
});

describe('ids up to 2^53-1', () => {
  test('a record with the largest id is created, fetched, referred to and found', async () => {
    const own = await startService();
    try {
      const there = await world(own);
      for (const table of ['contacts', 'deals', 'products', 'deal_products']) {
        await own.database.query('SELECT setval($1, $2, false)', [`${table}_id_seq`, largest]);
      }
      const contact = await there.contact({ full_name: 'Last' });
      expect(contact.id).toBe(largest);
      const attached = await there.dealProduct({
        deal_id: (await there.deal({ contact_id: largest })).id,
        product_id: (await there.product()).id,
      });
      expect(attached).toMatchObject({ id: largest, deal_id: largest, product_id: largest });
      expect((await there.fetchContact(largest)).deals.map((deal) => deal.id)).toEqual([largest]);
      expect((await there.fetchDeal(largest)).deal_products.map((each) => each.id)).toEqual([
        largest,
      ]);
      const found = await there.rest.post('/contacts/search', { query: { id_eq: largest } });
      expect(found.text).toContain(`"id":${largest}`);
      expect(await there.rest.get('/contacts/9007199254740992')).toAnswer(404);
    } finally {
      await own.close();
    }
  });
});

describe('timestamps in a body', () => {
  test.each([
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.1Z', '2026-03-01T10:00:00.100Z'],
    ['2026-03-01T10:00:00.123Z', '2026-03-01T10:00:00.123Z'],
    ['2026-03-01T10:00:00+00:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00-00:00', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00+0000', '2026-03-01T10:00:00.000Z'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is kept as %s', async (sent, kept) => {
    const { id } = await w.deal({ status: 'lost', lost_at: sent });
    expect((await w.fetchDeal(id)).lost_at).toBe(kept);
  });

  test.each([
    '2026-03-01T10:00:00+02:00',
    '2026-03-01T10:00:00-03:00',
    '2026-03-01T10:00:00',
    '2026-03-01',
    '2026-02-29T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-03-01T24:30:00Z',
    '2026-03-01T10:60:00Z',
    '2026-03-01 10:00',
    '01/03/2026',
    'yesterday',
    'now',
    'infinity',
    ' 2026-03-01T10:00:00Z',
    '20260301T100000Z',
    '+12026-03-01T10:00:00Z',
    1_772_359_200,
    true,
    {},
    [],
  ])('%j is a 422 that names the field', async (sent) => {
    const { id } = await w.deal();
    expect(await w.rest.put(`/deals/${id}`, { lost_at: sent, won_at: sent })).toAnswer(
      422,
      invalidFields('lost_at', 'won_at'),
    );
  });
});

test('timestamps in answers have milliseconds and Z, also when they are zero', async () => {
  const { id } = await w.contact();
  await service.database.query(
    "UPDATE contacts SET created_at = '2026-03-01T10:00:00Z', updated_at = '2026-03-01T10:00:00.12Z' WHERE id = $1",
    [id],
  );
  const { text } = await w.rest.get(`/contacts/${id}`);
  expect(text).toContain('"created_at":"2026-03-01T10:00:00.000Z"');
  expect(text).toContain('"updated_at":"2026-03-01T10:00:00.120Z"');
});
