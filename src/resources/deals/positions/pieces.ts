/**
 * The order of a stage's deals, as a plan: nothing here knows the database.
 *
 * Each deal has a rank, and deals are in the order of their ranks. Positions, 1 to n, are not
 * stored: they are computed from ranks by means of a few pieces of the stage, in each of which
 * ranks grow from deal to deal by the same step. Taking a deal out or putting one in changes
 * pieces, and no other deal. A stage that was only ever appended to is a single piece. When there
 * are too many pieces, short ones are joined: the ranks in such a piece follow no rule, and a
 * position in it has to be counted.
 */

/** Deals whose ranks grow by a step; it ends where the next one begins. */
export interface Piece {
  /** Of its first deal; where deals are counted, no more than that. */
  readonly rank: number;
  /** The position of its first deal. */
  readonly place: number;
  /** A power of two, so that ranks are exact; 0 where deals are counted. */
  readonly step: number;
}

/** The last piece has no end, and whole ranks: an appended deal belongs to it. */
export interface Order {
  /** How many deals are in the stage. */
  readonly count: number;
  readonly pieces: readonly [Piece, ...Piece[]];
}

/** The finest step beside a rank: a number has 53 bits for the two. */
export const finestAt = (rank: number): number =>
  powerBelow(Math.max(1, Math.abs(rank))) * 2 ** -50;

export const plainOrder = (count: number, firstRank = 1): Order => ({
  count,
  pieces: [{ rank: firstRank, place: 1, step: 1 }],
});

/** The rank of the deal at a position, or of the one that is to be appended. */
export function rankAt({ pieces }: Order, position: number): number {
  const { rank, place, step } = at(pieces, indexOf(pieces, position));
  return rank + (position - place) * step;
}

/**
 * Ranks between two others, evenly spaced: as far apart as possible, but at most 1.
 * @param size how many
 * @returns the first rank and the distance between them; undefined when there is no room
 */
export function evenly(lower: number, upper: number, size: number) {
  const step = Math.min(1, powerBelow((upper - lower) / (size + 1)));
  return step < finestAt(Math.max(-lower, upper))
    ? undefined
    : { rank: (Math.floor(lower / step) + 1) * step, step };
}

export const powerBelow = (value: number): number => 2 ** Math.floor(Math.log2(value));

/** Which piece a position is of. */
export function indexOf(pieces: readonly Piece[], position: number): number {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (at(pieces, middle).place <= position) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The position of a piece's last deal. */
export const endOf = ({ count, pieces }: Order, index: number): number =>
  (pieces[index + 1]?.place ?? count + 1) - 1;

/** Pieces with others in the place of some; positions after these are moved. */
export const spliced = (
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

/** @throws {Error} when there is no piece at this index, which is a fault of ours */
export function at(pieces: readonly Piece[], index: number): Piece {
  const piece = pieces[index];
  if (!piece) throw new Error(`there is no piece ${index}`);
  return piece;
}

/** @throws {Error} without a piece, which even an empty order has */
export function ordered(count: number, pieces: readonly Piece[]): Order {
  const [first, ...more] = pieces;
  if (!first) throw new Error('an order has a piece');
  return { count, pieces: [first, ...more] };
}
