/**
 * Which delivery this process sends next. Each webhook has a queue with its deliveries, and queues
 * take turns. A receiver that hangs occupies its place for the ten seconds of an attempt, so none
 * gets more places than it has shown that it can take.
 */
import { atOnce, type State, WebhookQueue } from './queue.ts';
import { Slots } from './slots.ts';

/** All queues together hold at most this many deliveries, since they may be large. */
const maxHeld = 250;

interface Destination {
  readonly url: string;
}

/** What is to be sent, and what to call when that is over. */
export interface Turn<Item> {
  readonly queue: WebhookQueue<Item>;
  readonly item: Item;
  done(state: State): void;
}

/** The queues of this process. It knows no database: `wanting` says what to claim, and `next` what to send. */
export class WebhookQueues<Item extends Destination> {
  /** Queues with something to do; the one that has waited longest for a turn comes first. */
  readonly #queues = new Map<number, WebhookQueue<Item>>();
  /** How webhooks are whose last attempt failed, or was slow. */
  readonly #states = new Map<number, State>();
  readonly #sending = new Slots();
  /** Several webhooks may have one receiver. */
  readonly #sendingTo = new Map<string, number>();

  /** Notes that a webhook may have something due. */
  due(accountId: number, webhookId: number): void {
    const state = this.#states.get(webhookId) ?? 'unknown';
    const queue =
      this.#queues.get(webhookId) ?? new WebhookQueue<Item>(accountId, webhookId, state);
    queue.isDue = true;
    this.#queues.set(webhookId, queue);
  }

  /**
   * Queues that should claim deliveries, with how many. Those whose receiver has not answered well
   * yet claim no more than they can send at once: deliveries that they only hold would keep others
   * from claiming theirs.
   */
  *wanting(): Generator<readonly [WebhookQueue<Item>, number]> {
    const slots = new Slots();
    let rest = maxHeld;
    for (const { accountId, state, isBusy, items, sending } of this.#queues.values()) {
      rest -= items.length + sending;
      if (isBusy && state !== 'well') slots.take(accountId, state);
    }
    for (const queue of this.#queues.values()) {
      const { accountId, state } = queue;
      const count = Math.min(queue.wanted, rest);
      if (count <= 0) continue;
      if (state !== 'well') {
        if (!slots.isFree(accountId, state)) continue;
        slots.take(accountId, state);
      }
      rest -= count;
      yield [queue, count];
    }
  }

  /** What is to be sent now; a queue that had its turn goes last. */
  *next(): Generator<Turn<Item>> {
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (const queue of [...this.#queues.values()]) {
        const [item] = queue.items;
        if (!item || !this.#mayBegin(queue, item)) continue;
        isMore = true;
        queue.items.shift();
        this.#queues.delete(queue.webhookId);
        this.#queues.set(queue.webhookId, queue);
        yield this.#begin(queue, item);
      }
    }
  }

  /** Ends the queue of a webhook in which there is nothing more to do. */
  removeIdle({ webhookId, isBusy, isDue }: WebhookQueue<Item>): void {
    if (!isBusy && !isDue) this.#queues.delete(webhookId);
  }

  /** Forgets what is known of webhooks other than these. */
  keep(webhooks: ReadonlySet<number>): void {
    for (const id of this.#states.keys()) if (!webhooks.has(id)) this.#states.delete(id);
  }

  /** Takes all deliveries out of the queues that nobody has begun to send. */
  *leave(): Generator<readonly [accountId: number, items: readonly Item[]]> {
    for (const queue of this.#queues.values()) yield [queue.accountId, queue.leave()];
  }

  #mayBegin(queue: WebhookQueue<Item>, { url }: Item): boolean {
    return (
      queue.maySend &&
      (this.#sendingTo.get(url) ?? 0) < atOnce &&
      this.#sending.isFree(queue.accountId, queue.state)
    );
  }

  #begin(queue: WebhookQueue<Item>, item: Item): Turn<Item> {
    const { accountId, state } = queue;
    const count = (by: 1 | -1) => {
      queue.sending += by;
      this.#sending.take(accountId, state, by);
      const to = (this.#sendingTo.get(item.url) ?? 0) + by;
      if (to === 0) this.#sendingTo.delete(item.url);
      else this.#sendingTo.set(item.url, to);
    };
    count(1);
    return {
      queue,
      item,
      done: (next) => {
        count(-1);
        queue.state = next;
        if (next === 'failing' || next === 'slow') this.#states.set(queue.webhookId, next);
        else this.#states.delete(queue.webhookId);
        this.removeIdle(queue);
      },
    };
  }
}
