/** Joining short pieces of a stage's order, and taking them apart where their ranks are needed. */
import { at, endOf, indexOf, type Order, ordered, type Piece, powerBelow } from './pieces.ts';

/** Pieces that an order may have: reading looks through them, so they are not to become many. */
const maxPieces = ({ count }: Order) => Math.max(32, Math.min(count / 16, 1500));

/** Deals that are counted together at most; so few that `maxPieces` can be kept. */
const maxCounted = ({ count }: Order) => Math.max(32, count / 750);

/** The order with as few pieces as it should have; no deal gets another rank. */
export function compacted(order: Order): Order {
  const { count, pieces } = order;
  if (pieces.length <= maxPieces(order)) return order;
  const rest: Piece[] = [];
  for (const [index, piece] of pieces.entries()) {
    const before = rest.at(-1);
    const isLast = index === pieces.length - 1;
    if (before && !isLast && endOf(order, index) - before.place < maxCounted(order)) {
      rest.splice(-1, 1, { ...before, step: 0 });
    } else rest.push(piece);
  }
  return ordered(count, rest);
}

/** Ranks from one that is included to one that is not. */
export interface Ranks {
  readonly from: number;
  readonly to: number;
}

/** The ranks of the pieces around positions that have to be counted; undefined when none has. */
export function countedAround({ pieces }: Order, first: number, last: number): Ranks | undefined {
  const counted = pieces
    .slice(indexOf(pieces, first), indexOf(pieces, last) + 1)
    .filter(({ step }) => step === 0);
  const [one, other] = [counted[0], counted.at(-1)];
  if (!one || !other) return undefined;
  return { from: one.rank, to: at(pieces, pieces.indexOf(other) + 1).rank };
}

/**
 * The order with pieces that follow a rule in the place of those that were counted.
 * @param ranks of all deals within, ascending
 */
export function withPiecesByRule(
  order: Order,
  { from, to }: Ranks,
  ranks: readonly number[],
): Order {
  const before = order.pieces.filter(({ rank }) => rank < from);
  const after = order.pieces.filter(({ rank }) => rank >= to);
  const place = at(order.pieces, before.length).place;
  const own: Piece[] = [];
  for (const [index, rank] of ranks.entries()) {
    const last = own.at(-1);
    if (last && last.rank + (place + index - last.place) * last.step === rank) continue;
    const gap = (ranks[index + 1] ?? to) - rank;
    own.push({ rank, place: place + index, step: Math.min(1, powerBelow(gap)) });
  }
  return ordered(order.count, [...before, ...own, ...after]);
}
