/**
 * Which delivery this process sends next. Each webhook has a lane with its deliveries, and lanes
 * take turns. A receiver that hangs occupies its place for the ten seconds of an attempt, so none
 * gets more places than it has shown that it can take.
 */
import { atOnce, Lane, type State } from './queue.ts';
import { Places } from './slots.ts';

/** All lanes together hold at most this many deliveries, since they may be large. */
const mostHeld = 250;

interface Addressed {
  readonly url: string;
}

/** What is to be sent, and what to call when that is over. */
export interface Turn<Item> {
  readonly lane: Lane<Item>;
  readonly item: Item;
  done(state: State): void;
}

/** The lanes of this process. It knows no database: `wanting` says what to claim, and `next` what to send. */
export class Lanes<Item extends Addressed> {
  /** Lanes with something to do; the one that has waited longest for a turn comes first. */
  readonly #lanes = new Map<number, Lane<Item>>();
  /** Webhooks whose last attempt failed. */
  readonly #failing = new Set<number>();
  readonly #sending = new Places();
  /** Several webhooks may have one receiver. */
  readonly #sendingTo = new Map<string, number>();

  /** Notes that a webhook may have something due. */
  due(accountId: number, webhookId: number): void {
    const state = this.#failing.has(webhookId) ? 'failing' : 'unknown';
    const lane = this.#lanes.get(webhookId) ?? new Lane<Item>(accountId, webhookId, state);
    lane.isDue = true;
    this.#lanes.set(webhookId, lane);
  }

  /**
   * Lanes that should claim deliveries, with how many. Those whose receiver has not answered well
   * yet claim no more than they can send at once: deliveries that they only hold would keep others
   * from claiming theirs.
   */
  *wanting(): Generator<readonly [Lane<Item>, number]> {
    const taken = new Places();
    let left = mostHeld;
    for (const { accountId, state, isBusy, items, sending } of this.#lanes.values()) {
      left -= items.length + sending;
      if (isBusy && state !== 'well') taken.take(accountId, state);
    }
    for (const lane of this.#lanes.values()) {
      const { accountId, state } = lane;
      const wanted = Math.min(lane.wanted, left);
      if (wanted <= 0) continue;
      if (state !== 'well') {
        if (!taken.isFree(accountId, state)) continue;
        taken.take(accountId, state);
      }
      left -= wanted;
      yield [lane, wanted];
    }
  }

  /** What is to be sent now; a lane that had its turn goes last. */
  *next(): Generator<Turn<Item>> {
    for (let found = true; found; ) {
      found = false;
      for (const lane of [...this.#lanes.values()]) {
        const [item] = lane.items;
        if (!item || !this.#mayBegin(lane, item)) continue;
        found = true;
        lane.items.shift();
        this.#lanes.delete(lane.webhookId);
        this.#lanes.set(lane.webhookId, lane);
        yield this.#begin(lane, item);
      }
    }
  }

  /** Ends the lane of a webhook in which there is nothing more to do. */
  tidy({ webhookId, isBusy, isDue }: Lane<Item>): void {
    if (!isBusy && !isDue) this.#lanes.delete(webhookId);
  }

  /** Forgets what is known of webhooks other than these. */
  keep(webhooks: ReadonlySet<number>): void {
    for (const id of this.#failing) if (!webhooks.has(id)) this.#failing.delete(id);
  }

  /** Takes all deliveries out of the lanes that nobody has begun to send. */
  *leave(): Generator<readonly [accountId: number, items: readonly Item[]]> {
    for (const lane of this.#lanes.values()) yield [lane.accountId, lane.leave()];
  }

  #mayBegin(lane: Lane<Item>, { url }: Item): boolean {
    return (
      lane.maySend &&
      (this.#sendingTo.get(url) ?? 0) < atOnce &&
      this.#sending.isFree(lane.accountId, lane.state)
    );
  }

  #begin(lane: Lane<Item>, item: Item): Turn<Item> {
    const { accountId, state } = lane;
    const count = (by: 1 | -1) => {
      lane.sending += by;
      this.#sending.take(accountId, state, by);
      const to = (this.#sendingTo.get(item.url) ?? 0) + by;
      if (to === 0) this.#sendingTo.delete(item.url);
      else this.#sendingTo.set(item.url, to);
    };
    count(1);
    return {
      lane,
      item,
      done: (next) => {
        count(-1);
        lane.state = next;
        if (next === 'failing') this.#failing.add(lane.webhookId);
        else this.#failing.delete(lane.webhookId);
        this.tidy(lane);
      },
    };
  }
}
