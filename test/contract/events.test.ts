import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import type { Event } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { eventBody } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);
const place: Readonly<Record<string, unknown>> = {
  stage_id: w.stageIds[0],
  stage_name: 'New',
  pipeline_id: w.pipelineId,
  pipeline_name: 'Sales',
};

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
});

describe('a deal that goes to another contact', () => {
  /** Kinds and titles of a contact's events. */
  const told = async (contactId: number) => {
    const { events } = await w.fetchContact(contactId);
    return events.map(({ kind, title }) => `${kind} ${title}`.trim());
  };

  test('takes its events along, which outlive the contact that it had', async () => {
    const [first, second] = [await w.contact(), await w.contact()];
    const deal = await w.deal({ contact_id: first.id });
    await w.rest.post(`/deals/${deal.id}/events`, { kind: 'note', title: 'Of the deal' });
    await w.rest.post(`/contacts/${first.id}/events`, { kind: 'note', title: 'Of the first' });
    await w.updateDeal(deal.id, { contact_id: second.id, status: 'won' });
    expect(await told(first.id)).toEqual(['note Of the first']);
    const all = ['deal_opened', 'note Of the deal', 'deal_won'];
    expect(await told(second.id)).toEqual(all);
    expect(await w.rest.delete(`/contacts/${first.id}`)).toAnswer(204, undefined);
    expect(await told(second.id)).toEqual(all);
  });

  test.each(['before', 'after'])('takes along those that are written %s it', async (when) => {
    const [first, second] = [await w.contact(), await w.contact()];
    const deal = await w.deal({ contact_id: first.id });
    const path = `/deals/${deal.id}`;
    const gone = await w.dealProduct({ deal_id: deal.id });
    const { id: product_id } = await w.product();
    const going = () => w.rest.put(path, { contact_id: second.id });
    const others = [
      () => w.rest.post(`${path}/events`, { kind: 'note' }),
      () => w.rest.post('/deal_products', { deal_id: deal.id, product_id }),
      () => w.rest.delete(`/deal_products/${gone.id}`),
      () => w.rest.put(path, { status: 'won' }),
    ];
    const letGo = await service.database.hold(
      'SELECT FROM deals WHERE account_id = $1 AND id = $2 FOR UPDATE',
      [w.accountId, deal.id],
    );
    const answers: Promise<{ status: number }>[] = [];
    // Each waits in line before the next one comes.
    for (const write of when === 'before' ? [...others, going] : [going, ...others]) {
      answers.push(write());
      await service.database.blocked(answers.length);
    }
    await letGo();
    for (const { status } of await Promise.all(answers)) expect(status).toBeLessThan(300);
    expect(await told(first.id)).toEqual([]);
    expect((await told(second.id)).sort()).toEqual([
      'deal_opened',
      'deal_product_added',
      'deal_product_added',
      'deal_product_removed',
      'deal_won',
      'note',
    ]);
  });

  test('takes along one that comes while its events are being moved', async () => {
    const [first, second] = [await w.contact(), await w.contact()];
    const { id } = await w.deal({ contact_id: first.id });
    const letGo = await service.database.hold('SELECT FROM contacts WHERE id = $1 FOR UPDATE', [
      second.id,
    ]);
    const going = w.rest.put(`/deals/${id}`, { contact_id: second.id });
    await service.database.blocked(1);
    const note = w.rest.post<Event>(`/deals/${id}/events`, { kind: 'note' });
    await service.database.blocked(2);
    await letGo();
    expect(await going).toAnswer(200);
    expect((await note).body).toMatchObject({ contact_id: second.id, deal_id: id });
    expect(await told(second.id)).toEqual(['deal_opened', 'note']);
  });

  test('got them back when the service was migrated, where it had left them behind', async () => {
    const other = await w.contact();
    const [left, kept] = [await w.deal(), await w.deal()];
    const name = '20261123000009_events_of_moved_deals';
    const file = new URL(`../../prisma/migrations/${name}/migration.sql`, import.meta.url);
    await service.database.query('UPDATE events SET contact_id = $1 WHERE deal_id = $2', [
      other.id,
      left.id,
    ]);
    const before = await w.fetchContact(kept.contact_id);
    await service.database.query(await readFile(file, 'utf8'));
    expect(await told(other.id)).toEqual([]);
    expect(await told(left.contact_id)).toEqual(['deal_opened']);
    expect(await w.fetchContact(kept.contact_id)).toEqual(before);
  });

  test('has its events moved as of the change', async () => {
    const deal = await w.deal();
    const { id } = await w.contact();
    const changed = await w.updateDeal(deal.id, { contact_id: id });
    const [opened] = await w.eventsOf(changed);
    expect([opened?.contact_id, opened?.created_at]).toEqual([id, deal.created_at]);
    expect(String(opened?.updated_at) > String(opened?.created_at)).toBe(true);
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
