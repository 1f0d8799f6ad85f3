/** Deals that move one after the other, computed without the database. */
import { compacted } from './compaction.ts';
import { without, withRoom } from './order.ts';
import type { Order } from './pieces.ts';
import type { Orders, Place } from './place.ts';
import { rerankings } from './rerankings.ts';
import { type Shifts, shifts } from './shifts.ts';

/** What a move comes to. */
export interface MoveResult {
  /** Of the deal that moves. */
  readonly rank: number;
  /** How the others shift in the stages that it leaves and enters. */
  readonly shifted: readonly (Shifts & { readonly stage_id: number })[];
}

/**
 * Computes what moves of deals come to, one after the other. It begins with the orders of locked stages and
 * the places of their deals, and keeps both up to date; the caller writes what has changed.
 */
export class Moves {
  readonly #orders: Map<number, Order>;
  readonly #changed = new Set<number>();
  readonly #places: Map<number, Place>;

  /**
   * @param orders of the stages that deals may leave and enter, which are locked
   * @param places of deals by their ids, which change as others move
   */
  constructor(orders: Orders, places: ReadonlyMap<number, Place>) {
    this.#orders = new Map(orders);
    this.#places = new Map(places);
  }

  get orders(): Orders {
    return this.#orders;
  }

  get places(): ReadonlyMap<number, Place> {
    return this.#places;
  }

  /** Orders that differ from the beginning. */
  get changed(): Orders {
    return new Map([...this.#orders].filter(([id]) => this.#changed.has(id)));
  }

  /**
   * Moves a deal.
   * @param to as `landing` says
   * @returns undefined when others would need other ranks, or ranks have to be looked up: nothing
   *   is done then
   */
  move(id: number, to: Place): MoveResult | undefined {
    const from = this.#placeOf(id);
    const order = this.#orderOf(from.stage_id);
    const after = without(order, [from.position]);
    const stays = from.stage_id === to.stage_id;
    const entered = stays ? order : this.#orderOf(to.stage_id);
    const room = withRoom(stays ? after : entered, to.position);
    const gone = stays ? [from.position] : [];
    if (!room || rerankings(entered, room.order, gone, to.position).length > 0) return undefined;
    this.#order(from.stage_id, after);
    this.#order(to.stage_id, room.order);
    this.note(id, to);
    const come = shifts(entered.count, gone, to.position);
    const { stage_id } = from;
    return {
      rank: room.rank,
      shifted: [
        ...(stays ? [] : [{ stage_id, ...shifts(order.count, [from.position]) }]),
        { stage_id: to.stage_id, ...come },
      ].filter(({ was }) => was.length > 0),
    };
  }

  /** Keeps account of a move, with all places that it shifts. */
  note(id: number, to: Place): void {
    const from = this.#placeOf(id);
    for (const [other, { stage_id, position }] of this.#places) {
      const target =
        stage_id === from.stage_id && position > from.position ? position - 1 : position;
      const moved = stage_id === to.stage_id && target >= to.position ? target + 1 : target;
      if (moved !== position) this.#places.set(other, { stage_id, position: moved });
    }
    this.#places.set(id, { stage_id: to.stage_id, position: to.position });
  }

  #order(stageId: number, order: Order): void {
    this.#orders.set(stageId, compacted(order));
    this.#changed.add(stageId);
  }

  #placeOf(id: number): Place {
    const place = this.#places.get(id);
    if (!place) throw new Error(`deal ${id} has no place`);
    return place;
  }

  #orderOf(stageId: number): Order {
    const order = this.#orders.get(stageId);
    if (!order) throw new Error(`stage ${stageId} is not locked`);
    return order;
  }
}
