import { describe, expect, test } from '@jest/globals';
import type { Deal } from '../kit/records.ts';
import { sharedService } from '../kit/service.ts';
import { moment } from '../kit/shapes.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const w = await world(service);

const then = '2020-01-02T03:04:05.006Z';
const earlier = '2019-01-02T03:04:05.006Z';

const outcome = ({ status, lost_reason, lost_at, won_at }: Deal) => ({
  status,
  lost_reason,
  lost_at,
  won_at,
});

const open = { status: 'open', lost_reason: '', lost_at: null, won_at: null };
const wonNow = { status: 'won', lost_reason: '', lost_at: null, won_at: moment };
const lostNow = { status: 'lost', lost_reason: '', lost_at: moment, won_at: null };

describe('a deal created', () => {
  test.each([
    ['without a status is open', {}, open],
    [
      'open has none of the three, even when they are sent',
      { status: 'open', lost_reason: 'x', lost_at: then, won_at: then },
      open,
    ],
    ['won is won now', { status: 'won' }, wonNow],
    ['won at a time is won then', { status: 'won', won_at: then }, { ...wonNow, won_at: then }],
    [
      'won has no reason and no time of loss',
      { status: 'won', lost_reason: 'x', lost_at: then },
      wonNow,
    ],
    ['lost is lost now', { status: 'lost' }, lostNow],
    [
      'lost with a reason at a time has both',
      { status: 'lost', lost_reason: 'Price', lost_at: then },
      { ...lostNow, lost_reason: 'Price', lost_at: then },
    ],
    ['lost has no time of winning', { status: 'lost', won_at: then }, lostNow],
  ])('%s', async (_, sent, expected) => {
    expect(outcome(await w.deal(sent))).toEqual(expected);
  });
});

const lost = { status: 'lost', lost_reason: 'Price', lost_at: earlier };
const won = { status: 'won', won_at: earlier };

describe('a status that changes', () => {
  test.each([
    ['open to won', {}, { status: 'won' }, wonNow],
    ['open to won, at a time', {}, { status: 'won', won_at: then }, { ...wonNow, won_at: then }],
    ['open to lost', {}, { status: 'lost' }, lostNow],
    [
      'open to lost, with a reason, at a time',
      {},
      { status: 'lost', lost_reason: 'Price', lost_at: then },
      { ...lostNow, lost_reason: 'Price', lost_at: then },
    ],
    [
      'won to lost clears won_at',
      won,
      { status: 'lost', lost_reason: 'Back' },
      { ...lostNow, lost_reason: 'Back' },
    ],
    ['won to lost ignores a won_at', won, { status: 'lost', won_at: then }, lostNow],
    ['lost to won clears lost_at and lost_reason', lost, { status: 'won' }, wonNow],
    [
      'lost to won ignores a lost_at and a lost_reason',
      lost,
      { status: 'won', lost_at: then, lost_reason: 'x' },
      wonNow,
    ],
    ['won to open clears all three', won, { status: 'open' }, open],
    [
      'lost to open clears all three',
      lost,
      { status: 'open', lost_reason: 'x', lost_at: then, won_at: then },
      open,
    ],
    ['lost to open by null, which is the default', lost, { status: null }, open],
    [
      'open to lost with a lost_at of null is lost now',
      {},
      { status: 'lost', lost_at: null },
      lostNow,
    ],
  ])('%s', async (_, before, change, expected) => {
    const { id } = await w.deal(before);
    const answered = await w.updateDeal(id, change);
    expect(outcome(answered)).toEqual(expected);
    expect(outcome(await w.fetchDeal(id))).toEqual(outcome(answered));
  });

  test('won_at and lost_at default to the moment of the call', async () => {
    const { id } = await w.deal();
    const before = new Date().toISOString();
    const { won_at } = await w.updateDeal(id, { status: 'won' });
    expect(won_at !== null && won_at >= before && won_at <= new Date().toISOString()).toBe(true);
    const { lost_at, updated_at } = await w.updateDeal(id, { status: 'lost' });
    expect(lost_at !== null && won_at !== null && lost_at >= won_at && lost_at <= updated_at).toBe(
      true,
    );
  });
});

describe('a status that does not change', () => {
  test.each([
    [
      'lost keeps what is left out',
      lost,
      { status: 'lost' },
      { ...lostNow, lost_reason: 'Price', lost_at: earlier },
    ],
    [
      'lost takes a new reason and time',
      lost,
      { status: 'lost', lost_reason: 'Time', lost_at: then },
      { ...lostNow, lost_reason: 'Time', lost_at: then },
    ],
    [
      'lost takes them without a status too',
      lost,
      { lost_reason: 'Time', lost_at: then },
      { ...lostNow, lost_reason: 'Time', lost_at: then },
    ],
    [
      'lost stores a won_at as sent',
      lost,
      { won_at: then },
      { status: 'lost', lost_reason: 'Price', lost_at: earlier, won_at: then },
    ],
    [
      'lost clears by null',
      lost,
      { lost_reason: null, lost_at: null },
      { status: 'lost', lost_reason: '', lost_at: null, won_at: null },
    ],
    ['won keeps its time', won, { status: 'won' }, { ...wonNow, won_at: earlier }],
    ['won takes a new time', won, { won_at: then }, { ...wonNow, won_at: then }],
    [
      'open stores the three as sent',
      {},
      { lost_reason: 'x', lost_at: then, won_at: earlier },
      { status: 'open', lost_reason: 'x', lost_at: then, won_at: earlier },
    ],
  ])('%s', async (_, before, change, expected) => {
    const { id } = await w.deal(before);
    expect(outcome(await w.updateDeal(id, change))).toEqual(expected);
  });
});
