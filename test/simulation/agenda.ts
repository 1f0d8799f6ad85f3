/** Time that passes as fast as its events are done, always in the same order. */

/** Who does something: what a process that is gone had in mind is not done any more. */
export interface Doer {
  isAlive: boolean;
  /** Until when it is halted, and does nothing. */
  haltedUntil: number;
}

interface Entry {
  at: number;
  readonly order: number;
  readonly work: () => void;
  readonly doer: Doer | undefined;
  isCancelled: boolean;
}

const isBefore = (one: Entry, other: Entry) =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

class Heap {
  readonly #entries: Entry[] = [];

  get first(): Entry | undefined {
    return this.#entries[0];
  }

  push(entry: Entry): void {
    const entries = this.#entries;
    let at = entries.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = entries[parent];
      if (!above || isBefore(above, entry)) break;
      entries[at] = above;
      at = parent;
    }
    entries[at] = entry;
  }

  pop(): void {
    const entries = this.#entries;
    const last = entries.pop();
    if (!last || entries.length === 0) return;
    let at = 0;
    for (;;) {
      const [left, right] = [entries[2 * at + 1], entries[2 * at + 2]];
      const min = left && right && isBefore(right, left) ? right : left;
      if (!min || !isBefore(min, last)) break;
      entries[at] = min;
      at = 2 * at + (min === left ? 1 : 2);
    }
    entries[at] = last;
  }
}

/** Events after which something goes round in circles: five days have some thousands. */
const maxEvents = 100_000;

/** The events to come. */
export class Agenda {
  now = 0;
  events = 0;
  readonly #events = new Heap();
  /** What may as well come later, as long as nothing else happens. */
  readonly #polls = new Heap();
  #count = 0;

  add(
    ms: number,
    work: () => void,
    { doer, isPoll = false }: { doer?: Doer | undefined; isPoll?: boolean } = {},
  ) {
    const order = this.#count++;
    const entry: Entry = { at: this.now + ms, order, work, doer, isCancelled: false };
    (isPoll ? this.#polls : this.#events).push(entry);
    return {
      cancel: () => {
        entry.isCancelled = true;
      },
    };
  }

  /**
   * Does what comes, until a moment.
   * @param settle resolves once all that an event brought about is done
   * @throws {Error} when that does not come
   * @param next when something happens that is not on the agenda: before that polls find nothing
   */
  async run(until: number, settle: () => Promise<void>, next: () => number): Promise<void> {
    for (;;) {
      const [event, poll] = [this.#events.first, this.#polls.first];
      const isPoll = poll !== undefined && (event === undefined || isBefore(poll, event));
      const entry = isPoll ? poll : event;
      if (!entry || entry.at > until) break;
      const heap = isPoll ? this.#polls : this.#events;
      heap.pop();
      if (entry.isCancelled || entry.doer?.isAlive === false) continue;
      const worthwhile = isPoll ? Math.min(event?.at ?? until, next(), until) : 0;
      const at = Math.max(entry.at, worthwhile, entry.doer?.haltedUntil ?? 0);
      if (at > entry.at) {
        entry.at = at;
        heap.push(entry);
        continue;
      }
      this.now = entry.at;
      if (++this.events > maxEvents) throw new Error('it comes to no rest');
      entry.work();
      await settle();
    }
    this.now = until;
  }
}
