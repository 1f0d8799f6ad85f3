import { beforeEach, describe, expect, test } from '@jest/globals';
import type { Deal } from '../kit/records.ts';
import { invalid } from '../kit/refusals.ts';
import { sharedService } from '../kit/service.ts';
import { type World, world } from '../kit/world.ts';

const service = await sharedService();
let w: World;
/** a, b, c, d stand at the first stage, x and y at the second. */
let deals: Record<string, Deal>;

beforeEach(async () => {
  w = await world(service);
  const contact = await w.contact();
  deals = {};
  for (const name of ['a', 'b', 'c', 'd', 'x', 'y']) {
    const stage_id = w.stageIds['xy'.includes(name) ? 1 : 0];
    deals[name] = await w.deal({ name, stage_id, contact_id: contact.id });
  }
});

const id = (name: string) => deals[name]?.id ?? 0;

/** The names at a stage in their order; fails unless the positions are 1..n. */
async function names(stage: 0 | 1 | 2): Promise<string> {
  const { ids, positions } = await w.board(w.stageIds[stage]);
  expect(positions).toEqual(ids.map((_, index) => index + 1));
  return ids
    .map((each) => Object.values(deals).find((deal) => deal.id === each)?.name ?? '?')
    .join('');
}

/** Creates a deal called `new`. */
async function insert(position: unknown): Promise<Deal> {
  const deal = await w.deal({ name: 'n', position, contact_id: deals.a?.contact_id });
  deals.n = deal;
  return deal;
}

describe('a new deal', () => {
  test('stands at the end', async () => {
    expect(deals.a?.position).toBe(1);
    expect(deals.d?.position).toBe(4);
    expect((await insert(null)).position).toBe(5);
    expect(await names(0)).toBe('abcdn');
  });

  test.each([
    [1, 'nabcd'],
    [3, 'abncd'],
    [5, 'abcdn'],
    [6, 'abcdn'],
    [2_147_483_648, 'abcdn'],
    [9_007_199_254_740_991, 'abcdn'],
  ])('at %d shifts the rest: %s', async (position, order) => {
    const deal = await insert(position);
    expect(deal.position).toBe(order.indexOf('n') + 1);
    expect(await names(0)).toBe(order);
  });

  test.each([0, -1])('at %d is a 422', async (position) => {
    const body = { stage_id: w.stageIds[0], contact_id: deals.a?.contact_id, position };
    expect(await w.rest.post('/deals', body)).toAnswer(
      422,
      invalid({ position: 'must be greater than or equal to 1' }),
    );
    expect(await names(0)).toBe('abcd');
  });
});

describe('a move within the stage', () => {
  test.each([
    ['a', 3, 'bcad'],
    ['a', 4, 'bcda'],
    ['a', 99, 'bcda'],
    ['a', 9_007_199_254_740_991, 'bcda'],
    ['d', 1, 'dabc'],
    ['c', 2, 'acbd'],
    ['b', 2, 'abcd'],
    ['b', 3, 'acbd'],
  ])('%s to %d gives %s', async (name, position, order) => {
    const moved = await w.updateDeal(id(name), { position });
    expect(moved.position).toBe(order.indexOf(name) + 1);
    expect(await names(0)).toBe(order);
    expect(await names(1)).toBe('xy');
  });

  test('null moves to the end, which is the default', async () => {
    await w.updateDeal(id('b'), { position: null });
    expect(await names(0)).toBe('acdb');
  });

  test('leaving it out keeps the place', async () => {
    await w.updateDeal(id('b'), { name: 'b', stage_id: w.stageIds[0] });
    expect(await names(0)).toBe('abcd');
  });

  test('a moved deal answers with its new position, the others when they are fetched', async () => {
    await w.updateDeal(id('d'), { position: 1 });
    expect((await w.fetchDeal(id('a'))).position).toBe(2);
    expect((await w.fetchDeal(id('d'))).position).toBe(1);
  });
});

describe('a move to another stage', () => {
  test('without a position lands at the end and closes the gap', async () => {
    const moved = await w.updateDeal(id('b'), { stage_id: w.stageIds[1] });
    expect(moved.position).toBe(3);
    expect([await names(0), await names(1)]).toEqual(['acd', 'xyb']);
  });

  test.each([
    [1, 'bxy'],
    [2, 'xby'],
    [3, 'xyb'],
    [99, 'xyb'],
  ])('at %d gives %s', async (position, order) => {
    const moved = await w.updateDeal(id('b'), { stage_id: w.stageIds[1], position });
    expect(moved.position).toBe(order.indexOf('b') + 1);
    expect([await names(0), await names(1)]).toEqual(['acd', order]);
  });

  test('to an empty stage lands at 1', async () => {
    expect((await w.updateDeal(id('d'), { stage_id: w.stageIds[2], position: 7 })).position).toBe(
      1,
    );
    expect([await names(0), await names(2)]).toEqual(['abc', 'd']);
  });

  test('of another pipeline works the same', async () => {
    const moved = await w.updateDeal(id('a'), { stage_id: w.other.stageId });
    expect(moved).toMatchObject({ position: 1, pipeline_id: w.other.pipelineId });
    expect(await names(0)).toBe('bcd');
  });

  test('and back again', async () => {
    await w.updateDeal(id('a'), { stage_id: w.stageIds[1], position: 1 });
    await w.updateDeal(id('a'), { stage_id: w.stageIds[0], position: 2 });
    expect([await names(0), await names(1)]).toEqual(['bacd', 'xy']);
  });

  test('a refused move leaves every place as it was', async () => {
    const answer = await w.rest.put(`/deals/${id('b')}`, {
      stage_id: w.stageIds[1],
      position: 1,
      status: 'x',
    });
    expect(answer.status).toBe(422);
    expect([await names(0), await names(1)]).toEqual(['abcd', 'xy']);
  });

  test('an upsert moves too', async () => {
    const contact = await w.contact();
    deals.u = await w.deal({ name: 'u', contact_id: contact.id });
    const sent = { contact_id: contact.id, stage_id: w.stageIds[1], position: 1 };
    expect((await w.rest.post('/deals/upsert', sent)).status).toBe(200);
    expect([await names(0), await names(1)]).toEqual(['abcd', 'uxy']);
  });
});

test('deleting a contact closes the gaps of all its deals, in every stage', async () => {
  const other = await w.contact();
  deals.m = await w.deal({ name: 'm', contact_id: other.id, position: 2 });
  deals.n = await w.deal({ name: 'n', contact_id: other.id, position: 4 });
  deals.z = await w.deal({ name: 'z', contact_id: other.id, stage_id: w.stageIds[1], position: 1 });
  expect([await names(0), await names(1)]).toEqual(['ambncd', 'zxy']);
  await w.rest.delete(`/contacts/${other.id}`);
  expect([await names(0), await names(1)]).toEqual(['abcd', 'xy']);
  expect((await insert(null)).position).toBe(5);
});

test('positions of one account do not touch those of another', async () => {
  const stranger = await world(service);
  const theirs = await stranger.deal();
  await insert(1);
  expect((await stranger.fetchDeal(theirs.id)).position).toBe(1);
});
