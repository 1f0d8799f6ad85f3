/** The order of a stage's deals, as the stage's row holds it. */
import { raw } from '../../../db/sql/sql.ts';
import { type Order, type Piece, plainOrder } from './pieces.ts';

/** Columns of a stage; a single piece is only `ranks_ahead`, and the arrays are null. */
export interface OrderRow {
  readonly deals_count: number;
  readonly ranks_ahead: number;
  readonly piece_ranks: readonly number[] | null;
  readonly piece_places: readonly number[] | null;
  readonly piece_steps: readonly number[] | null;
}

export const orderColumns = raw('deals_count, ranks_ahead, piece_ranks, piece_places, piece_steps');

/** Reads the order from a stage's row. */
export function orderOf(row: OrderRow): Order {
  const { deals_count: count, ranks_ahead, piece_ranks, piece_places, piece_steps } = row;
  const [first, ...more] = (piece_ranks ?? []).map(
    (rank, at): Piece => ({ rank, place: piece_places?.[at] ?? 1, step: piece_steps?.[at] ?? 1 }),
  );
  return first ? { count, pieces: [first, ...more] } : plainOrder(count, 1 + ranks_ahead);
}

/** Writes an order as the columns of a stage's row. */
export function rowOf({ count, pieces }: Order): OrderRow {
  const last = pieces.at(-1) ?? pieces[0];
  const single = pieces.length === 1;
  return {
    deals_count: count,
    ranks_ahead: last.rank - last.place,
    piece_ranks: single ? null : pieces.map(({ rank }) => rank),
    piece_places: single ? null : pieces.map(({ place }) => place),
    piece_steps: single ? null : pieces.map(({ step }) => step),
  };
}
