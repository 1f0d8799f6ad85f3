/**
 * Who may send next in this process. What waits for a receiver stands in a lane of its own, and lanes take turns.
 * A receiver that hangs holds its places for the ten seconds of an attempt, so none gets more than it has shown
 * that it can take: one at a time until it has answered well, then two. Those that failed last share half of all
 * places, and half of those of their account.
 */

/** Attempts at once: in the process, of one account, and to one receiver. */
const places = { all: 50, account: 8, receiver: 2 } as const;

/** Deliveries that a lane takes on at once: as few as it can send in time, at most this many. */
const most = { lane: 50, all: 250, least: 2 } as const;

/** A lane whose deliveries took no longer than this, all of them together, takes on twice as many next. */
const quickMs = 1000;

type State = 'unknown' | 'well' | 'failing';

/** What waits for one webhook. */
export class Lane<Item> {
  readonly accountId: number;
  readonly webhookId: number;
  readonly items: Item[] = [];
  state: State;
  sending = 0;
  /** Whether the database may hold more. */
  isDue = true;
  #isClaiming = false;
  #size: number = most.least;
  #claimedAt = 0;

  constructor(accountId: number, webhookId: number, state: State) {
    this.accountId = accountId;
    this.webhookId = webhookId;
    this.state = state;
  }

  get isIdle(): boolean {
    return !this.isDue && !this.#isClaiming && this.sending === 0 && this.items.length === 0;
  }

  /** How many deliveries to take on now; 0 while there are enough. */
  wanted(held: number): number {
    if (!this.isDue || this.#isClaiming || this.items.length > most.least) return 0;
    return Math.max(0, Math.min(this.#size, most.all - held));
  }

  /** What comes due from now on is not among what is being claimed. */
  begin(): void {
    this.isDue = false;
    this.#isClaiming = true;
  }

  /** Takes on what was claimed, and learns how long it took to send what was claimed before. */
  add(items: readonly Item[], asked: number): void {
    this.#isClaiming = false;
    const now = performance.now();
    if (this.state === 'well' && now - this.#claimedAt < quickMs) this.#size *= 2;
    else this.#size = most.least;
    this.#size = Math.min(this.#size, most.lane);
    this.#claimedAt = now;
    this.items.push(...items);
    this.isDue ||= items.length >= asked;
  }
}

/** The lanes of a process. */
export class Lanes<Item extends { readonly url: string }> {
  /** Those in which there is something to do; who waited longest for a turn comes first. */
  readonly #lanes = new Map<number, Lane<Item>>();
  /** Webhooks whose last attempt failed. */
  readonly #failing = new Set<number>();
  readonly #sending = { all: 0, failing: 0 };
  readonly #ofAccount = new Map<string, number>();
  readonly #ofUrl = new Map<string, number>();

  /** The lane of a webhook, which may have something due. */
  due(accountId: number, webhookId: number): void {
    const state = this.#failing.has(webhookId) ? 'failing' : 'unknown';
    const lane = this.#lanes.get(webhookId) ?? new Lane<Item>(accountId, webhookId, state);
    lane.isDue = true;
    this.#lanes.set(webhookId, lane);
  }

  /** Lanes that should take deliveries on, with how many. */
  *wanting(): Generator<readonly [Lane<Item>, number]> {
    for (const lane of this.#lanes.values()) {
      const wanted = lane.wanted(this.#held());
      if (wanted > 0) yield [lane, wanted];
    }
  }

  /** What is to be sent now, each with what to call when it was; a lane that had its turn goes last. */
  *next(): Generator<readonly [Lane<Item>, Item, (state: State) => void]> {
    let found = true;
    while (found) {
      found = false;
      for (const lane of [...this.#lanes.values()]) {
        const [item] = lane.items;
        if (!item || !this.#mayBegin(lane, item)) continue;
        lane.items.shift();
        this.#lanes.delete(lane.webhookId);
        this.#lanes.set(lane.webhookId, lane);
        found = true;
        yield [lane, item, this.#begin(lane, item)];
      }
    }
  }

  /** Ends the lane of a webhook in which there is nothing more to do. */
  tidy({ webhookId, isIdle }: Lane<Item>): void {
    if (isIdle) this.#lanes.delete(webhookId);
  }

  /** Forgets what is known of webhooks other than these. */
  keep(webhooks: ReadonlySet<number>): void {
    for (const id of this.#failing) if (!webhooks.has(id)) this.#failing.delete(id);
  }

  /** Takes out all that nobody has begun to send. */
  *left(): Generator<readonly [Lane<Item>, readonly Item[]]> {
    for (const lane of this.#lanes.values()) {
      if (lane.items.length > 0) yield [lane, lane.items.splice(0)];
    }
  }

  #held(): number {
    let held = 0;
    for (const lane of this.#lanes.values()) held += lane.items.length + lane.sending;
    return held;
  }

  #mayBegin({ accountId, state, sending }: Lane<Item>, { url }: Item): boolean {
    const isFailing = state === 'failing';
    const atOnce = state === 'well' ? places.receiver : 1;
    const share = isFailing ? 2 : 1;
    return (
      sending < atOnce &&
      (this.#ofUrl.get(url) ?? 0) < places.receiver &&
      this.#sending.all < places.all &&
      (!isFailing || this.#sending.failing < places.all / share) &&
      (this.#ofAccount.get(keyOf(accountId, isFailing)) ?? 0) < places.account / share &&
      this.#sumOf(accountId) < places.account
    );
  }

  #sumOf(accountId: number): number {
    const of = (isFailing: boolean) => this.#ofAccount.get(keyOf(accountId, isFailing)) ?? 0;
    return of(true) + of(false);
  }

  #begin(lane: Lane<Item>, { url }: Item): (state: State) => void {
    const isFailing = lane.state === 'failing';
    const key = keyOf(lane.accountId, isFailing);
    const count = (by: 1 | -1) => {
      lane.sending += by;
      this.#sending.all += by;
      if (isFailing) this.#sending.failing += by;
      add(this.#ofAccount, key, by);
      add(this.#ofUrl, url, by);
    };
    count(1);
    return (state) => {
      count(-1);
      lane.state = state;
      if (state === 'failing') this.#failing.add(lane.webhookId);
      else this.#failing.delete(lane.webhookId);
      this.tidy(lane);
    };
  }
}

const keyOf = (accountId: number, isFailing: boolean) => `${accountId} ${isFailing}`;

function add<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
