import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { eventBody } from '../kit/shapes.ts';
import { type World, world } from '../kit/world.ts';

let service: Service;
let w: World;
let place: Readonly<Record<string, unknown>>;
beforeAll(async () => {
  service = await startService();
  w = await world(service);
  place = {
    stage_id: w.stageIds[0],
    stage_name: 'New',
    pipeline_id: w.pipelineId,
    pipeline_name: 'Sales',
  };
});
afterAll(() => service.close());

describe('a change of a deal writes one event', () => {
  test('deal_opened when it is created, whole', async () => {
    const deal = await w.deal({ name: 'Opened' });
    expect(await w.eventsOf(deal)).toEqual([
      eventBody(w.accountId, {
        deal_id: deal.id,
        contact_id: deal.contact_id,
        kind: 'deal_opened',
        done_at: deal.created_at,
        additional_attributes: { ...place, deal_name: 'Opened' },
      }),
    ]);
  });

  test.each([
    [
      'deal_opened, first of all, for a deal that is created won',
      { status: 'won' },
      undefined,
      'deal_opened',
    ],
    ['deal_won', {}, { status: 'won' }, 'deal_won'],
    ['deal_lost', {}, { status: 'lost', lost_reason: 'Price' }, 'deal_lost'],
    ['deal_lost for one that was won', { status: 'won' }, { status: 'lost' }, 'deal_lost'],
    ['deal_won for one that was lost', { status: 'lost' }, { status: 'won' }, 'deal_won'],
    ['deal_reopened for one that was won', { status: 'won' }, { status: 'open' }, 'deal_reopened'],
    [
      'deal_reopened for one that was lost',
      { status: 'lost' },
      { status: 'open' },
      'deal_reopened',
    ],
  ])('%s', async (_, created, change, kind) => {
    const deal = await w.deal({ name: 'Changed', ...created });
    const updated = change ? await w.updateDeal(deal.id, change) : deal;
    const events = await w.eventsOf(deal);
    expect(events).toHaveLength(change ? 2 : 1);
    expect(events.at(-1)).toEqual(
      eventBody(w.accountId, {
        deal_id: deal.id,
        contact_id: deal.contact_id,
        kind,
        done_at: updated.updated_at,
        created_at: updated.updated_at,
        additional_attributes: { ...place, deal_name: 'Changed' },
      }),
    );
  });

  test('deal_stage_change, with both stages', async () => {
    const deal = await w.deal({ name: 'Moved' });
    await w.updateDeal(deal.id, { stage_id: w.other.stageId, name: 'Renamed' });
    expect((await w.eventsOf(deal)).at(-1)).toEqual(
      eventBody(w.accountId, {
        deal_id: deal.id,
        contact_id: deal.contact_id,
        kind: 'deal_stage_change',
        additional_attributes: {
          old_stage_id: w.stageIds[0],
          old_stage_name: 'New',
          old_stage_pipeline_id: w.pipelineId,
          old_stage_pipeline_name: 'Sales',
          new_stage_id: w.other.stageId,
          new_stage_name: 'Lead',
          new_stage_pipeline_id: w.other.pipelineId,
          new_stage_pipeline_name: 'Partners',
          deal_name: 'Renamed',
        },
      }),
    );
  });

  test('a status goes before a stage: one event, with the new stage', async () => {
    const deal = await w.deal({ name: 'Both' });
    await w.updateDeal(deal.id, { status: 'won', stage_id: w.stageIds[2] });
    const events = await w.eventsOf(deal);
    expect(events.map((event) => event.kind)).toEqual(['deal_opened', 'deal_won']);
    expect(events.at(-1)?.additional_attributes).toEqual({
      ...place,
      stage_id: w.stageIds[2],
      stage_name: 'Offer',
      deal_name: 'Both',
    });
  });

  test.each([
    ['a name', { name: 'Other' }],
    ['the same status', { status: 'open' }],
    ['a position', { position: 1 }],
    ['nothing', {}],
    ['custom_attributes', { custom_attributes: { a: 1 } }],
  ])('%s alone writes none', async (_, change) => {
    const deal = await w.deal();
    await w.updateDeal(deal.id, { ...change, stage_id: deal.stage_id });
    expect((await w.eventsOf(deal)).map((event) => event.kind)).toEqual(['deal_opened']);
  });

  test('a refused change writes none', async () => {
    const deal = await w.deal();
    const refused = await w.rest.put(`/deals/${deal.id}`, { status: 'won', lost_at: 'x' });
    expect(refused.status).toBe(422);
    expect((await w.eventsOf(deal)).map((event) => event.kind)).toEqual(['deal_opened']);
  });

  test('an upsert writes the same events', async () => {
    const contact = await w.contact();
    const sent = { contact_id: contact.id, stage_id: w.stageIds[0], name: 'Upserted' };
    await w.rest.post('/deals/upsert', sent);
    await w.rest.post('/deals/upsert', { ...sent, status: 'lost' });
    await w.rest.post('/deals/upsert', { ...sent, stage_id: w.stageIds[1] });
    const { events } = await w.fetchContact(contact.id);
    expect(events.map((event) => event.kind)).toEqual([
      'deal_opened',
      'deal_lost',
      'deal_stage_change',
    ]);
  });

  test('a deal that goes to another contact tells its later events there', async () => {
    const deal = await w.deal();
    const other = await w.contact();
    await w.updateDeal(deal.id, { contact_id: other.id });
    await w.updateDeal(deal.id, { status: 'won' });
    const { events } = await w.fetchContact(other.id);
    expect(events.map((event) => event.kind)).toContain('deal_won');
  });
});

test('deal_product_added tells what was attached, whole', async () => {
  const deal = await w.deal({ name: 'Furniture' });
  const product = await w.product({ name: 'Chair' });
  const attached = await w.dealProduct({
    deal_id: deal.id,
    product_id: product.id,
    product_name: 'Seat',
  });
  expect((await w.eventsOf(deal)).at(-1)).toEqual(
    eventBody(w.accountId, {
      deal_id: deal.id,
      contact_id: deal.contact_id,
      kind: 'deal_product_added',
      done_at: attached.created_at,
      additional_attributes: {
        product_id: product.id,
        product_name: expect.stringMatching(/^(Chair|Seat)$/),
        deal_id: deal.id,
        deal_name: 'Furniture',
      },
    }),
  );
});

test('events keep the names of their moment', async () => {
  const deal = await w.deal({ name: 'Before' });
  await w.updateDeal(deal.id, { name: 'After' });
  const [opened] = await w.eventsOf(deal);
  expect(opened?.additional_attributes).toMatchObject({ deal_name: 'Before' });
});
