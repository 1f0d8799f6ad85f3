/** Taking deals out of a stage's order and putting one in. */
import { countedAround } from './compaction.ts';
import {
  at,
  endOf,
  evenly,
  finestAt,
  indexOf,
  type Order,
  ordered,
  type Piece,
  plainOrder,
  powerBelow,
  rankAt,
  spliced,
} from './pieces.ts';

/** A deal placed between two others leaves room for this many on either side of it. */
const room = 32;

/** Deals that get new ranks at least, when there is none left between two of them. */
const fewest = 32;

/**
 * The order without the deals at some positions.
 * @param gone ascending, each once
 */
export function without(order: Order, gone: readonly number[]): Order {
  const { count, pieces } = order;
  // The ranks of the last deals of all are free for those that are appended next.
  const last = count - gone.filter((at, index) => at === count - gone.length + index + 1).length;
  const rest: Piece[] = [];
  let passed = 0;
  pieces.forEach((piece, index) => {
    const isLast = index === pieces.length - 1;
    const after = (isLast ? last : endOf(order, index)) + 1;
    let next = piece.place;
    if (piece.step === 0) {
      const before = passed;
      while ((gone[passed] ?? after) < after) passed += 1;
      if (after - next > passed - before) rest.push({ ...piece, place: next - before });
      return;
    }
    const keep = (end: number) => {
      const rank = piece.rank + (next - piece.place) * piece.step;
      if (next < end || (isLast && end === after))
        rest.push({ ...piece, rank, place: next - passed });
    };
    for (let at = gone[passed]; at !== undefined && at < after; at = gone[passed]) {
      keep(at);
      passed += 1;
      next = at + 1;
    }
    keep(after);
  });
  return ordered(count - gone.length, rest);
}

/**
 * The order with a deal more, which others make room for, and the rank that it gets.
 * @returns undefined when it takes the ranks of deals that are counted
 */
export function withRoom(
  order: Order,
  position: number,
): { order: Order; rank: number } | undefined {
  const { count, pieces } = order;
  if (position > count) {
    return { order: ordered(count + 1, pieces), rank: rankAt(order, position) };
  }
  if (countedAround(order, position - 1, position)) return undefined;
  const index = indexOf(pieces, position);
  const next = at(pieces, index);
  const upper = rankAt(order, position);
  const lower = position === 1 ? Number.NEGATIVE_INFINITY : rankAt(order, position - 1);
  if (position === next.place) {
    const down = upper - next.step;
    if (down > lower) return made(index, 1, [{ ...next, rank: down }], down);
    const up = lower + at(pieces, index - 1).step;
    if (up < upper) return made(index, 0, [], up);
  }
  const step = powerBelow((upper - lower) / (2 * room));
  if (step < finestAt(upper)) {
    const loose = loosened(order, position);
    return loose && withRoom(loose, position);
  }
  const rank = Math.floor((lower + upper) / 2 / step) * step;
  const head = position === next.place ? [] : [next];
  const own = [...head, { rank, place: position, step }];
  return made(index, 1, [...own, { rank: upper, place: position + 1, step: next.step }], rank);

  function made(from: number, removed: number, own: readonly Piece[], rank: number) {
    return { order: ordered(count + 1, spliced(pieces, from, removed, own, 1)), rank };
  }
}

/** With deals around a position so far apart that one fits in and more will, if none is counted. */
function loosened(order: Order, position: number): Order | undefined {
  for (let size = fewest; ; size *= 2) {
    const first = Math.max(1, position - size / 2);
    const last = Math.min(order.count, first + size - 1);
    if (countedAround(order, first - 1, last + 1)) return undefined;
    const whole = first === 1 && last === order.count;
    // The more deals it takes, the longer it is to last.
    const finest = finestAt(rankAt(order, position));
    const min = whole ? 0 : finest * 2 ** 12 * (size / fewest);
    const spread = respread(order, first, last, min);
    if (spread) return spread;
    if (whole) return plainOrder(order.count);
  }
}

/** With the deals of two positions and all between them evenly apart, as one piece. */
function respread(order: Order, first: number, last: number, min: number): Order | undefined {
  const { count, pieces } = order;
  const size = last - first + 1;
  const upper = rankAt(order, last + 1);
  const lower = first === 1 ? rankAt(order, 1) - size - 1 : rankAt(order, first - 1);
  const spread = evenly(lower, upper, size);
  if (!spread || spread.step < min) return undefined;
  const follows = { ...at(pieces, indexOf(pieces, last + 1)), rank: upper, place: last + 1 };
  return ordered(count, [
    ...pieces.filter(({ place }) => place < first),
    { ...spread, place: first },
    follows,
    ...pieces.filter(({ place }) => place > last + 1),
  ]);
}
