import type { Watch } from '../resources/changes/watch.ts';
import type { Log } from '../telemetry/log.ts';
import { claimSeconds, type DeliveryClaim } from './claims.ts';
import { stateAfter, type WebhookQueue } from './queue.ts';
import { type Turn, WebhookQueues } from './queues.ts';
import { Results, recordMs } from './results.ts';
import { pauseAfter } from './schedule.ts';
import { type Attempt, limitMs, type Message } from './send.ts';
import { type DeliveryStore, statementMs } from './store.ts';
import { pause, type Timer, type Timing } from './timing.ts';

/** How often is asked what is due, where there are webhooks; and which there are. */
const every = { dueMs: 1000, listMs: 5000, pruneMs: 3_600_000 } as const;

/** How long deliveries in hand may take to finish once the process stops, in milliseconds. */
const graceMs = 3000;

/** A claim that ends sooner does not leave time for an attempt and for recording its outcome. */
const attemptMs = limitMs + recordMs;

interface Item extends DeliveryClaim {
  /** When the claim ends, on the clock of this process. */
  readonly until: number;
}

/** All that a dispatcher knows of the world around it. */
export interface DispatcherOptions {
  readonly store: DeliveryStore;
  readonly timing: Timing;
  readonly watch: Pick<Watch, 'listen'>;
  /** Makes an attempt, see {@link send}. */
  readonly send: (message: Message, stopping: AbortSignal) => Promise<Attempt | undefined>;
  readonly log: Pick<Log, 'warn'>;
}

/**
 * Sends changes to webhooks. Any number of processes do so side by side: a page of the feed becomes rows,
 * each process claims rows for a while, and those of one that is gone are claimed by others. Where no account
 * has a webhook it costs one small statement every five seconds.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #queues = new WebhookQueues<Item>();
  readonly #results: Results;
  readonly #stopping = new AbortController();
  readonly #working = new Set<Promise<unknown>>();
  /** Accounts with webhooks that are switched on, each with how to stop listening for its changes. */
  readonly #accounts = new Map<number, () => void>();
  #webhooks: ReadonlyMap<number, readonly number[]> = new Map();
  /** Accounts whose changes are being made deliveries; true: again, once that is done. */
  readonly #making = new Map<number, boolean>();
  /** Of accounts whose changes are to be looked at again. */
  readonly #again = new Map<number, Timer>();
  #timer: Timer | undefined;
  #isPumping = false;
  #listAt = 0;
  #pruneAt: number;
  #isClosed = false;
  #isWell = true;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { store, timing } = options;
    this.#pruneAt = timing.now() + every.pruneMs;
    this.#results = new Results(store, timing, (error) => this.#complain(error));
  }

  /** Begins, or looks at once for what is new. */
  wake(): void {
    if (this.#isClosed) return;
    this.#listAt = 0;
    this.#lookIn(0);
  }

  /**
   * Claims nothing more. Deliveries being sent have three seconds to finish; all others are left to other
   * processes, or the next start.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const timer of this.#again.values()) timer.cancel();
    for (const stop of this.#accounts.values()) stop();
    this.#leave();
    const cut = this.#options.timing.after(graceMs, () => this.#stopping.abort());
    // Work that ends may begin other work.
    while (this.#working.size > 0) await Promise.all(this.#working);
    cut.cancel();
    await this.#results.flush();
  }

  #lookIn(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.timing.after(ms, () => this.#work(() => this.#look()));
  }

  async #look(): Promise<void> {
    const { store, timing } = this.#options;
    this.#timer?.cancel();
    try {
      const now = timing.now();
      if (now >= this.#listAt) {
        this.#listAt = now + every.listMs;
        this.#listen(await store.enabled());
      }
      if (this.#accounts.size > 0) {
        const accounts = [...this.#accounts.keys()];
        const due = await store.due(accounts);
        for (const { account_id, id } of due) this.#queues.due(account_id, id);
        this.#pump();
      }
      if (now >= this.#pruneAt) {
        this.#pruneAt = now + every.pruneMs;
        this.#work(() => store.prune(this.#stopping.signal));
      }
      this.#isWell = true;
    } finally {
      const pauseMs = this.#accounts.size > 0 ? every.dueMs : every.listMs;
      if (!this.#isClosed) this.#lookIn(pauseMs);
    }
  }

  #listen(webhooks: ReadonlyMap<number, readonly number[]>): void {
    this.#webhooks = webhooks;
    this.#queues.keep(new Set([...webhooks.values()].flat()));
    for (const [accountId, stop] of this.#accounts) {
      if (webhooks.has(accountId)) continue;
      stop();
      this.#accounts.delete(accountId);
    }
    for (const accountId of webhooks.keys()) {
      if (this.#accounts.has(accountId) || this.#isClosed) continue;
      const stop = this.#options.watch.listen(accountId, () => this.#make(accountId));
      this.#accounts.set(accountId, stop);
      this.#make(accountId);
    }
  }

  /** Makes deliveries of the account's new changes, and of those that come meanwhile. */
  #make(accountId: number): void {
    if (this.#isClosed) return;
    if (this.#making.has(accountId)) this.#making.set(accountId, true);
    else this.#work(() => this.#makeAll(accountId));
  }

  async #makeAll(accountId: number): Promise<void> {
    try {
      do {
        this.#making.set(accountId, false);
        const webhooks = await this.#options.store.make(accountId);
        for (const { webhook_id, is_told } of webhooks) {
          if (is_told) this.#queues.due(accountId, webhook_id);
        }
        if (webhooks.some(({ is_full }) => is_full)) this.#making.set(accountId, true);
        this.#pump();
        // A skipped webhook may be locked by somebody who changes it, rather than by a process that makes
        // its deliveries.
        const passed = (this.#webhooks.get(accountId)?.length ?? 0) - webhooks.length;
        if (passed > 0) this.#makeAgain(accountId);
      } while (this.#making.get(accountId) && !this.#isClosed);
    } catch (error) {
      // Otherwise it would take another change to come back to these.
      this.#makeAgain(accountId);
      throw error;
    } finally {
      this.#making.delete(accountId);
    }
  }

  #makeAgain(accountId: number): void {
    if (this.#isClosed || this.#again.has(accountId)) return;
    const timer = this.#options.timing.after(every.dueMs, () => {
      this.#again.delete(accountId);
      this.#make(accountId);
    });
    this.#again.set(accountId, timer);
  }

  /** Begins whatever may begin, once for all that ends in this turn of the event loop. */
  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#options.timing.soon(() => {
      this.#isPumping = false;
      this.#begin();
    });
  }

  /** Begins to send, and to take on. */
  #begin(): void {
    if (this.#isClosed) return;
    for (const turn of this.#queues.next()) this.#work(() => this.#send(turn));
    for (const [queue, max] of this.#queues.wanting()) {
      queue.begin();
      this.#work(() => this.#claim(queue, max));
    }
  }

  async #claim(queue: WebhookQueue<Item>, max: number): Promise<void> {
    const { store, timing } = this.#options;
    const until = timing.now() + claimSeconds * 1000;
    const { accountId, webhookId } = queue;
    let claimed: readonly DeliveryClaim[] = [];
    try {
      claimed = await store.claim(accountId, webhookId, max);
    } finally {
      const items = claimed.map((one) => ({ ...one, until }));
      queue.add(items, max, timing.now());
      this.#queues.removeIdle(queue);
    }
    if (this.#isClosed) this.#leave();
    this.#pump();
  }

  async #send({ queue, item, done }: Turn<Item>): Promise<void> {
    const { accountId } = queue;
    const { id, event, attempts, body } = item;
    const { timing, send } = this.#options;
    let next = queue.state;
    try {
      if (body === undefined) {
        const nothing = { status: null, answer: null, duration_ms: null, pause: null };
        this.#results.add(accountId, { ...nothing, id, error: 'the change is no longer kept' });
      } else if (timing.now() > item.until - attemptMs) {
        this.#release(accountId, [item]);
      } else {
        const message = { ...item, body };
        const { signal } = this.#stopping;
        const attempt = await send(message, signal);
        if (!attempt) return this.#release(accountId, [item]);
        const { outcome, restMs } = attempt;
        next = stateAfter(outcome.error, outcome.duration_ms);
        this.#results.add(accountId, { id, pause: pauseAfter(attempts + 1, event), ...outcome });
        // What it holds would be sent too slowly now.
        if (next === 'failing') this.#release(accountId, queue.leave());
        if (restMs > 0) await pause(timing, restMs, signal);
      }
    } finally {
      done(next);
      this.#pump();
    }
  }

  /** Leaves to others what nobody has begun to send. */
  #leave(): void {
    for (const [accountId, items] of this.#queues.leave()) this.#release(accountId, items);
  }

  /** What is left of a claim that ends meanwhile comes due by itself, and may be another process's by then. */
  #release(accountId: number, items: readonly Item[]): void {
    const { store, timing } = this.#options;
    const end = timing.now() + statementMs;
    const ids = items.filter(({ until }) => until > end).map(({ id }) => id);
    if (ids.length === 0) return;
    this.#work(() => store.release(accountId, ids));
  }

  #work(begin: () => Promise<unknown>): void {
    const work: Promise<unknown> = begin()
      .catch((error: unknown) => this.#complain(error))
      .finally(() => this.#working.delete(work));
    this.#working.add(work);
  }

  /** Once until it is well again: while the database is away every attempt would say so. */
  #complain(error: unknown): void {
    if (!this.#isWell) return;
    this.#isWell = false;
    this.#options.log.warn({ err: error }, 'webhooks are not told of changes for now');
  }
}
