/** Making pieces of a stage's order one. */
import { at, evenly, type Order, ordered, type Piece, plainOrder, spliced } from './pieces.ts';

/** Pieces that an order may have: reading looks through them, so they are not to become many. */
const mostPieces = ({ count }: Order) => Math.max(32, Math.min(count / 16, 1500));

/**
 * The order with as few pieces as it should have, or nearly so.
 * @param budget deals that may get new ranks
 */
export function compacted(order: Order, budget: number): Order {
  let left = budget;
  let current = order;
  while (current.pieces.length > mostPieces(current)) {
    if (current.count <= left) return plainOrder(current.count);
    const way = cheapest(current);
    if (!way || way.cost > left) break;
    left -= way.cost;
    current = ordered(current.count, spliced(current.pieces, way.index, 2, [way.piece], 0));
  }
  return current;
}

/** How a piece is made one with its next. */
interface Merging {
  readonly index: number;
  readonly piece: Piece;
  /** Deals that get new ranks. */
  readonly cost: number;
}

/** The one of fewest new ranks. */
function cheapest({ count, pieces }: Order): Merging | undefined {
  let best: Merging | undefined;
  for (let index = 0; index < pieces.length - 1; index++) {
    const [place, next] = [at(pieces, index).place, at(pieces, index + 1).place];
    const end = pieces[index + 2]?.place ?? count + 1;
    const cost = best?.cost ?? Number.POSITIVE_INFINITY;
    best = merging(pieces, index, [next - place, end - next], cost) ?? best;
  }
  return best;
}

/**
 * @param sizes of the piece and of its next
 * @param below only what costs less is wanted
 */
function merging(
  pieces: readonly Piece[],
  index: number,
  [size, otherSize]: readonly [number, number],
  below: number,
): Merging | undefined {
  const [one, other] = [at(pieces, index), at(pieces, index + 1)];
  const { place } = one;
  const before = pieces[index - 1];
  const lower = before
    ? before.rank + (place - before.place - 1) * before.step
    : Number.NEGATIVE_INFINITY;
  const upper = pieces[index + 2]?.rank;
  const rank = other.rank - size * other.step;
  const down = rank > lower ? size : Number.POSITIVE_INFINITY;
  const fits = upper !== undefined && one.rank + (size + otherSize - 1) * one.step < upper;
  const up = fits ? otherSize : Number.POSITIVE_INFINITY;
  if (up < down && up < below) return { index, piece: one, cost: up };
  if (down < below) return { index, piece: { ...other, rank, place }, cost: down };
  if (upper === undefined) return undefined;
  if (!before || size + otherSize >= below) return undefined;
  const spread = evenly(lower, upper, size + otherSize);
  return spread && { index, piece: { ...spread, place }, cost: size + otherSize };
}
