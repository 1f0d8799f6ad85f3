import { describe, expect, test } from '@jest/globals';
import {
  type BoardDeal,
  type Column,
  moveTo,
  withMove,
} from '../../src/console/pages/board/move.ts';

const deal = (id: number, position: number): BoardDeal => ({
  id,
  position,
  name: '',
  status: 'open',
  total_deal_products_amount_in_cents: id,
  contact: { full_name: '', email: '', phone: '' },
  deal_assignees: [],
  deal_assignees_count: 0,
});

const column = (id: number, ...deals: readonly BoardDeal[]): Column => ({
  stage: { id, name: '', rests_after_days: null },
  count: deals.length,
  sum_in_cents: deals.reduce((sum, { id: amount }) => sum + amount, 0),
  deals: [...deals],
});

/** Ids and positions, column by column. */
const places = (columns: readonly Column[]) =>
  columns.map(({ deals }) => deals.map(({ id, position }) => `${id} at ${position}`));

describe('a move on a board that hides some deals of its stages', () => {
  const first = column(1, deal(10, 1), deal(11, 3), deal(12, 6));
  const second = column(2, deal(20, 2));
  const [ten] = first.deals;
  if (!ten) throw new Error('there is no deal');

  test.each([
    [
      'above another deal takes its place',
      2,
      second,
      0,
      ['11 at 2', '12 at 5'],
      ['10 at 2', '20 at 3'],
    ],
    [
      'to the end stands right behind the last',
      2,
      second,
      1,
      ['11 at 2', '12 at 5'],
      ['20 at 2', '10 at 3'],
    ],
    [
      'down its own stage counts without itself',
      1,
      first,
      1,
      ['11 at 2', '10 at 5', '12 at 6'],
      ['20 at 2'],
    ],
    ['to the end of its own stage', 1, first, 2, ['11 at 2', '12 at 5', '10 at 6'], ['20 at 2']],
  ] as const)('%s', (_, stageId, target, index, one, other) => {
    const move = moveTo(ten, target, index);
    expect(move.stageId).toBe(stageId);
    expect(places(withMove([first, second], move))).toEqual([one, other]);
  });

  test('to a stage that shows none is to its beginning', () => {
    expect(moveTo(ten, column(3), 0)).toEqual({ dealId: 10, stageId: 3, position: 1 });
  });

  test('takes the amount along, and done twice is done once', () => {
    const move = moveTo(ten, second, 0);
    const after = withMove([first, second], move);
    expect(after.map(({ count, sum_in_cents }) => [count, sum_in_cents])).toEqual([
      [2, 23],
      [2, 30],
    ]);
    expect(withMove(after, move)).toEqual(after);
  });
});
