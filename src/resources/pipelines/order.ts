/**
 * The order of a stage's deals, as a plan: nothing here knows the database.
 *
 * Each deal has a rank, and the deals stand in the order of their ranks. Positions, 1 to n, are not
 * stored: the stage tells them from ranks by few pieces, in each of which the ranks of one deal after
 * the other grow by the same step. Whoever takes a deal out or puts one in changes pieces, and no
 * other deal. A stage that was only ever appended to is a single piece. Of too many pieces the
 * smallest are made one, by giving their deals new ranks.
 */

/** Deals whose ranks grow by a step; it ends where the next one begins. */
export interface Piece {
  /** Of its first deal. */
  readonly rank: number;
  /** The position of its first deal. */
  readonly place: number;
  /** A power of two, so that ranks are exact. */
  readonly step: number;
}

/** The last piece has no end, and whole ranks: a deal that is appended is of it. */
export interface Order {
  /** How many deals stand in the stage. */
  readonly count: number;
  readonly pieces: readonly [Piece, ...Piece[]];
}

/** The finest step beside a rank: a number has 53 bits for the two. */
const finestAt = (rank: number): number => powerBelow(Math.max(1, Math.abs(rank))) * 2 ** -50;

/** A deal that is put between two others leaves room for so many on either side of it. */
const room = 32;

/** Deals that get new ranks at least, when there is none left between two of them. */
const fewest = 32;

/** Pieces that an order may have: reading looks through them, so they are not to become many. */
const mostPieces = ({ count }: Order) => Math.max(32, Math.min(count / 16, 1500));

export const plainOrder = (count: number, firstRank = 1): Order => ({
  count,
  pieces: [{ rank: firstRank, place: 1, step: 1 }],
});

/** The rank of the deal at a position, or of the one that is to be appended. */
export function rankAt({ pieces }: Order, position: number): number {
  const { rank, place, step } = at(pieces, indexOf(pieces, position));
  return rank + (position - place) * step;
}

/** The order without the deal at a position. */
export function without(order: Order, position: number): Order {
  const { count, pieces } = order;
  const index = indexOf(pieces, position);
  const piece = at(pieces, index);
  const end = endOf(order, index);
  // The rank of the last deal of all is free for the next that is appended.
  if (position === count && index === pieces.length - 1) return { count: count - 1, pieces };
  const rank = piece.rank + (position - piece.place + 1) * piece.step;
  const own = [
    ...(position > piece.place ? [piece] : []),
    ...(position < end ? [{ ...piece, rank, place: position }] : []),
  ];
  return ordered(count - 1, spliced(pieces, index, 1, own, -1));
}

/** The order with a deal more, which others make room for, and the rank that it gets. */
export function withRoom(order: Order, position: number): { order: Order; rank: number } {
  const { count, pieces } = order;
  if (position > count) {
    return { order: ordered(count + 1, pieces), rank: rankAt(order, position) };
  }
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
  if (step < finestAt(upper)) return withRoom(loosened(order, position), position);
  const rank = Math.floor((lower + upper) / 2 / step) * step;
  const head = position === next.place ? [] : [next];
  const own = [...head, { rank, place: position, step }];
  return made(index, 1, [...own, { rank: upper, place: position + 1, step: next.step }], rank);

  function made(from: number, removed: number, own: readonly Piece[], rank: number) {
    return { order: ordered(count + 1, spliced(pieces, from, removed, own, 1)), rank };
  }
}

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

/** Deals whose ranks lie from `low` to `high` get those that begin at `start`, `factor` as far apart. */
export interface Reranking {
  readonly low: number;
  readonly high: number;
  readonly start: number;
  readonly factor: number;
}

/**
 * What has to be written for the deals that stay to stand in another order.
 * @param gone positions before of deals that leave, ascending
 * @param come the position after of one that comes
 */
export function rerankings(
  before: Order,
  after: Order,
  gone: readonly number[],
  come?: number,
): Reranking[] {
  const found: Reranking[] = [];
  const stops = [...gone, before.count + 1];
  let [old, now, was, is] = [1, 1, 0, 0];
  for (const stop of stops) {
    while (old < stop) {
      if (now === come) now += 1;
      while (endOf(before, was) < old) was += 1;
      while (endOf(after, is) < now) is += 1;
      const size = Math.min(
        Math.min(endOf(before, was) + 1, stop) - old,
        Math.min(endOf(after, is) + 1, come !== undefined && come > now ? come : after.count + 1) -
          now,
      );
      const [from, to] = [at(before.pieces, was), at(after.pieces, is)];
      const low = from.rank + (old - from.place) * from.step;
      const start = to.rank + (now - to.place) * to.step;
      if (low !== start || (to.step !== from.step && size > 1)) {
        const high = low + (size - 1) * from.step;
        found.push({ low, high, start, factor: to.step / from.step });
      }
      old += size;
      now += size;
    }
    old += 1;
  }
  return found;
}

/** With deals around a position so far apart that one fits in and more will. */
function loosened(order: Order, position: number): Order {
  for (let size = fewest; ; size *= 2) {
    const first = Math.max(1, position - size / 2);
    const last = Math.min(order.count, first + size - 1);
    const whole = first === 1 && last === order.count;
    // The more deals it takes, the longer it is to last.
    const finest = finestAt(rankAt(order, position));
    const least = whole ? 0 : finest * 2 ** 12 * (size / fewest);
    const spread = respread(order, first, last, least);
    if (spread) return spread;
    if (whole) return plainOrder(order.count);
  }
}

/** With the deals of two positions and all between them evenly apart, as one piece. */
function respread(order: Order, first: number, last: number, least: number): Order | undefined {
  const { count, pieces } = order;
  const size = last - first + 1;
  const upper = rankAt(order, last + 1);
  const lower = first === 1 ? rankAt(order, 1) - size - 1 : rankAt(order, first - 1);
  const spread = evenly(lower, upper, size);
  if (!spread || spread.step < least) return undefined;
  const follows = { ...at(pieces, indexOf(pieces, last + 1)), rank: upper, place: last + 1 };
  return ordered(count, [
    ...pieces.filter(({ place }) => place < first),
    { ...spread, place: first },
    follows,
    ...pieces.filter(({ place }) => place > last + 1),
  ]);
}

/** So many ranks between two others, as far apart as can be and at most 1. */
function evenly(lower: number, upper: number, size: number) {
  const step = Math.min(1, powerBelow((upper - lower) / (size + 1)));
  return step < finestAt(Math.max(-lower, upper))
    ? undefined
    : { rank: (Math.floor(lower / step) + 1) * step, step };
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

const powerBelow = (value: number): number => 2 ** Math.floor(Math.log2(value));

/** Which piece a position is of. */
function indexOf(pieces: readonly Piece[], position: number): number {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (at(pieces, middle).place <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The position of a piece's last deal. */
const endOf = ({ count, pieces }: Order, index: number): number =>
  (pieces[index + 1]?.place ?? count + 1) - 1;

/** Pieces with others in the place of some; positions after these are moved. */
const spliced = (
  pieces: readonly Piece[],
  from: number,
  removed: number,
  own: readonly Piece[],
  move: number,
): Piece[] => [
  ...pieces.slice(0, from),
  ...own,
  ...pieces.slice(from + removed).map((piece) => ({ ...piece, place: piece.place + move })),
];

function at(pieces: readonly Piece[], index: number): Piece {
  const piece = pieces[index];
  if (!piece) throw new Error(`there is no piece ${index}`);
  return piece;
}

function ordered(count: number, pieces: readonly Piece[]): Order {
  const [first, ...more] = pieces;
  if (!first) throw new Error('an order has a piece');
  return { count, pieces: [first, ...more] };
}
