/** Plans of a stage's order, against a plain list of ranks. */
import { describe, expect, test } from '@jest/globals';
import {
  compacted,
  countedAround,
  withPiecesByRule,
} from '../../src/resources/deals/positions/compaction.ts';
import { without, withRoom } from '../../src/resources/deals/positions/order.ts';
import { orderOf, rowOf } from '../../src/resources/deals/positions/order_row.ts';
import { type Order, plainOrder } from '../../src/resources/deals/positions/pieces.ts';
import { rerankings } from '../../src/resources/deals/positions/rerankings.ts';
import { seeded } from '../kit/seeded.ts';

/** Deals by their ranks, in the order of their positions, and the `Order` that describes it. */
class Stage {
  ranks: number[];
  order: Order;
  /** How many deals each change gave new ranks. */
  readonly reranked: number[] = [];

  constructor(count: number) {
    this.ranks = Array.from({ length: count }, (_, at) => at + 1);
    this.order = plainOrder(count);
  }

  change(gone: readonly number[], come?: number): void {
    let before = this.order;
    let room = come === undefined ? { order: without(before, gone), rank: 0 } : undefined;
    for (let reach = 1; !room && come !== undefined; reach *= 64) {
      before = this.opened(before, come - reach, come + gone.length + reach);
      room = withRoom(without(before, gone), come);
    }
    if (!room) throw new Error('there is no room');
    this.order = compacted(room.order);
    if (come === undefined) {
      this.ranks = this.ranks.filter((_, at) => !gone.includes(at + 1));
      return;
    }
    const { rank: own } = room;
    const moves = rerankings(before, room.order, gone, come);
    let count = 0;
    const ranks = this.ranks
      .filter((_, at) => !gone.includes(at + 1))
      .map((rank) => {
        const move = moves.find(({ low, high }) => low <= rank && rank <= high);
        if (move) count += 1;
        return move ? move.start + (rank - move.low) * move.factor : rank;
      });
    ranks.splice(come - 1, 0, own);
    this.ranks = ranks;
    this.reranked.push(count);
  }

  /** An order in which no deal between two positions is counted. */
  opened(order: Order, first: number, last: number): Order {
    const ranks = countedAround(order, first, last);
    if (!ranks) return order;
    const within = this.ranks.filter((rank) => rank >= ranks.from && rank < ranks.to);
    return withPiecesByRule(order, ranks, within);
  }

  /** Fails unless the ranks ascend, and the `Order` gives the position of each. */
  check(): void {
    const order = orderOf(rowOf(this.order));
    expect(order).toEqual(this.order);
    const told = this.ranks.map((rank) => {
      const index = order.pieces.findLastIndex((piece) => piece.rank <= rank);
      const { rank: from, place, step } = order.pieces[index] ?? { rank: 0, place: 0, step: 0 };
      const counted = () => this.ranks.filter((other) => other >= from && other < rank).length;
      return place + (step === 0 ? counted() : (rank - from) / step);
    });
    expect(told).toEqual(this.ranks.map((_, at) => at + 1));
    expect(this.ranks.every((rank, at) => at === 0 || rank > (this.ranks[at - 1] ?? rank))).toBe(
      true,
    );
  }
}

describe('whatever comes and goes, ranks ascend and tell positions', () => {
  test.each([
    [0, 300],
    [20, 300],
    [300, 300],
    [1500, 100],
  ])('%d deals, %d changes', (count, changes) => {
    const random = seeded(count + 1);
    const stage = new Stage(count);
    for (let n = 0; n < changes; n++) {
      const size = stage.ranks.length;
      const gone = new Set<number>();
      const leaving = [0, 1, 1, 1, 3][random(5)] ?? 0;
      while (gone.size < Math.min(leaving, size)) gone.add(1 + random(size));
      const come = random(4) > 0 ? 1 + random(size - gone.size + 1) : undefined;
      stage.change(
        [...gone].sort((one, other) => one - other),
        come,
      );
      stage.check();
    }
  });

  // Each halves the room between the same two, until there is none.
  test.each([
    ['before the last that came', () => 700],
    ['behind the last that came', (n: number) => 700 + n],
    ['between the last two that came', (n: number) => 700 + Math.floor(n / 2)],
    ['at the front', () => 1],
  ])('400 that come one after the other %s', (_, at) => {
    const stage = new Stage(1000);
    for (let n = 0; n < 400; n++) {
      stage.change([], at(n));
      if (n % 20 === 0) stage.check();
    }
    stage.check();
    expect(Math.max(...stage.reranked)).toBeLessThanOrEqual(256);
    expect(stage.reranked.reduce((sum, count) => sum + count)).toBeLessThan(400 * 10);
  });
});

test('a change of a large stage gives few deals new ranks, and leaves few pieces', () => {
  const random = seeded(3);
  const stage = new Stage(3000);
  for (let n = 0; n < 1000; n++) stage.change([1 + random(3000)], 1 + random(3000));
  stage.check();
  expect(Math.max(...stage.reranked)).toBe(0);
  expect(stage.order.pieces.length).toBeLessThan(250);
});

test('a stage that deals leave from the front and come to the end of needs no pieces', () => {
  const stage = new Stage(50);
  for (let n = 0; n < 200; n++) stage.change([1], 50);
  stage.check();
  expect(rowOf(stage.order)).toMatchObject({ ranks_ahead: 200, piece_ranks: null });
  expect(stage.reranked.every((count) => count === 0)).toBe(true);
});
