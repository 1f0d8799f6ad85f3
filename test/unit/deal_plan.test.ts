/** What becomes of a deal that a client changes, without a database. */
import { expect, test } from '@jest/globals';
import { Faults } from '../../src/errors/errors.ts';
import type { CurrentDeal } from '../../src/resources/deals/current.ts';
import { planDealChange } from '../../src/resources/deals/plan.ts';
import { plainOrder } from '../../src/resources/deals/positions/pieces.ts';
import type { Orders } from '../../src/resources/deals/positions/place.ts';
import type { DealFields } from '../../src/resources/deals/record.ts';

const offer = { stage_id: 8, stage_name: 'Offer', pipeline_id: 3, pipeline_name: 'Sales' };
const now = new Date('2026-03-01T10:00:00.000Z');
const deal: CurrentDeal = {
  id: 1,
  version: '700',
  moment: now,
  name: 'Roof',
  status: 'open',
  stage_id: 7,
  stage_name: 'New',
  pipeline_id: 3,
  pipeline_name: 'Sales',
  contact_id: 5,
  position: 2,
  lost_reason: '',
  lost_at: null,
  won_at: null,
  custom_attributes: '{}',
  target: null,
  contact_exists: false,
};
const { id: _, version: __, moment: ___, ...columns } = deal;
const { stage_name, pipeline_name, target, contact_exists, ...stored } = columns;

function plan(before: CurrentDeal, sent: DealFields, orders?: Orders) {
  const faults = new Faults();
  return { ...planDealChange(before, sent, now, faults, orders), faults };
}

test('a deal that nothing is sent for stays as it is', () => {
  const { after, event, moves, faults } = plan(deal, {});
  expect([after, event, moves, faults.any]).toEqual([stored, undefined, false, false]);
});

test('a deal that is won stays at its place, and the timeline tells where', () => {
  const { after, event, moves } = plan(deal, { status: 'won' });
  expect(after).toEqual({ ...stored, status: 'won', won_at: now.toISOString() });
  expect(moves).toBe(false);
  expect(event).toEqual({
    kind: 'deal_won',
    attributes: {
      stage_id: 7,
      stage_name: 'New',
      pipeline_id: 3,
      pipeline_name: 'Sales',
      deal_name: 'Roof',
    },
  });
});

test('a deal that comes to another stage stands at its end', () => {
  const orders = new Map([
    [7, plainOrder(4)],
    [8, plainOrder(2)],
  ]);
  const { after, event, moves } = plan({ ...deal, target: offer }, { stage_id: 8 }, orders);
  expect(after).toEqual({ ...stored, stage_id: 8, position: 3 });
  expect(moves).toBe(true);
  expect(event?.kind).toBe('deal_stage_change');
});

test('all that cannot be is told together', () => {
  const { faults } = plan(deal, { contact_id: 9, stage_id: 10 });
  expect(() => faults.throwIfAny()).toThrow('Contact must exist; Stage must exist');
});

test('a pipeline that is not the one of the stage is refused', () => {
  const { faults } = plan({ ...deal, target: offer }, { stage_id: 8, pipeline_id: 4 });
  expect(() => faults.throwIfAny()).toThrow('Pipeline does not match the pipeline of the stage');
});
