/**
 * A fair-share scheduler of the pool's connections: the next goes to the account that has used them for the least
 * time, and none gets so many that another would have to wait for its long work.
 */
import { LRUCache } from 'lru-cache';
import { Fault } from '../../errors/errors.ts';
import { Histogram } from '../../lib/histogram.ts';
import {
  type AccountQueue,
  type Lease,
  long,
  longOf,
  type OpenLease,
  type Use,
} from './account_queue.ts';
import { maxLong, type Quota, type Quotas, quotasOf } from './quotas.ts';
import { movingAverage } from './statement_statistic.ts';

/** An account that asked for nothing for this many milliseconds no longer counts as present. */
const present = 1000;

/** After waiting this many milliseconds, long work is no longer overtaken by its account's short work. */
const overtaken = 500;

/** How often to look for those who have waited too long, in milliseconds. */
const looking = 25;

/**
 * The connections of a pool, and who gets the next one: accounts take turns by the milliseconds for which they
 * have used connections so far.
 */
export class ConnectionScheduler {
  readonly #size: number;
  readonly #patienceMs: number;
  readonly #quotas: Quotas;
  /** Runs while anybody waits. */
  #looking: NodeJS.Timeout | undefined;
  readonly #accounts = new Map<number | undefined, AccountQueue>();
  /** How long each kind of reading usually takes, in milliseconds. */
  readonly #usual = new LRUCache<string, { ms: number }>({
    max: 2000,
    maxSize: 10_000_000,
    sizeCalculation: (_, kind) => kind.length + 1,
  });
  readonly #queued = new Set<AccountQueue>();
  #taken = 0;
  /** Seconds that those waited for a connection who had to, and got one. */
  readonly waits = new Histogram([0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 2.5]);
  #timeouts = 0;
  /** Where newcomers start, so that an idle account accrues no credit. */
  #minUsed = 0;
  /** The two accounts that asked most recently, and when. */
  #last: { account: number; at: number } = { account: Number.NaN, at: Number.NEGATIVE_INFINITY };
  #before = this.#last;

  /**
   * @param size number of connections
   * @param patienceMs how long work waits for one
   */
  constructor(size: number, patienceMs: number) {
    this.#size = size;
    this.#patienceMs = patienceMs;
    this.#quotas = quotasOf(size);
  }

  /** How many wait for a connection. */
  get waiting(): number {
    let all = 0;
    for (const { waiting } of this.#queued) all += waiting.length;
    return all;
  }

  /** How many have waited in vain. */
  get timeouts(): number {
    return this.#timeouts;
  }

  /** Notes that an account is present although it takes no lease of its own. */
  notePresence(account: number | undefined, at = performance.now()): void {
    if (account === undefined) return;
    if (this.#last.account === account) {
      this.#last.at = at;
    } else {
      this.#before = this.#last;
      this.#last = { account, at };
    }
  }

  /**
   * @returns the lease itself when one is free, so that nobody waits for a promise without need
   * @throws {Fault} UNAVAILABLE when none became free in time
   */
  acquire(use: Use): Lease | Promise<Lease> {
    const now = performance.now();
    this.notePresence(use.account, now);
    const queue = this.#accountQueue(use.account);
    const isLong = !use.writes && this.#expected(queue, use) > long;
    // Those already waiting are held back by limits that do not apply here.
    const share = this.#quota(queue, now);
    if (this.#admits(queue, use, isLong, now, share)) return this.#grant(queue, use, isLong, now);
    return this.#wait(queue, use, isLong, now);
  }

  #wait(queue: AccountQueue, use: Use, isLong: boolean, since: number): Promise<Lease> {
    const until = Math.min(since + this.#patienceMs, use.until ?? Number.POSITIVE_INFINITY);
    return new Promise((resolve, reject) => {
      queue.waiting.push({
        use,
        isLong,
        since,
        until,
        take: (now) => {
          this.waits.note((now - since) / 1000);
          resolve(this.#grant(queue, use, isLong, now));
        },
        giveUp: () => {
          this.#timeouts += 1;
          reject(new Fault('UNAVAILABLE', ['The database is busy']));
        },
      });
      this.#queued.add(queue);
      this.#looking ??= setInterval(() => this.#look(), looking).unref();
    });
  }

  #look(): void {
    const now = performance.now();
    for (const queue of this.#queued) {
      const late = queue.waiting.filter(({ until }) => until <= now);
      for (const waiting of late) {
        queue.waiting.splice(queue.waiting.indexOf(waiting), 1);
        waiting.giveUp();
      }
      if (late.length > 0) this.#forgetIfIdle(queue);
    }
    if (this.#queued.size > 0) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
  }

  #accountQueue(account: number | undefined): AccountQueue {
    let queue = this.#accounts.get(account);
    if (!queue) {
      queue = { account, leases: new Set(), writing: 0, waiting: [], used: this.#minUsed };
      this.#accounts.set(account, queue);
    } else if (queue.leases.size === 0 && queue.waiting.length === 0) {
      queue.used = Math.max(queue.used, this.#minUsed);
    }
    return queue;
  }

  #expected(queue: AccountQueue, { kind }: Use): number {
    return kind === undefined ? 0 : (this.#usual.get(kind)?.ms ?? queue.unseen ?? 0);
  }

  #quota({ account }: AccountQueue, now: number): Quota {
    if (account === undefined) return this.#quotas.system;
    const other = this.#last.account === account ? this.#before : this.#last;
    return now - other.at > present ? this.#quotas.exclusive : this.#quotas.contended;
  }

  #admits(
    queue: AccountQueue,
    { writes }: Use,
    isLong: boolean,
    now: number,
    share: Quota,
  ): boolean {
    if (this.#taken >= this.#size || queue.leases.size >= share.all) return false;
    // How long writes take does not matter: any of them may wait for a lock.
    if (writes) return queue.writing < share.writes;
    if (queue.leases.size - queue.writing >= share.reads) return false;
    if (!isLong) return true;
    return longOf(queue, now) < share.long && this.#long(now) < maxLong(this.#size);
  }

  #long(now: number): number {
    let all = 0;
    for (const queue of this.#accounts.values()) all += longOf(queue, now);
    return all;
  }

  #grant(queue: AccountQueue, use: Use, isLong: boolean, since: number): Lease {
    const lease: OpenLease = {
      use,
      since,
      isLong,
      release: () => {
        if (!queue.leases.delete(lease)) return;
        const now = performance.now();
        this.#taken -= 1;
        if (use.writes) queue.writing -= 1;
        this.#minUsed = Math.max(this.#minUsed, queue.used);
        queue.used += now - since;
        if (use.kind !== undefined && !use.writes) this.#learn(queue, use.kind, now - since);
        this.#forgetIfIdle(queue);
        if (this.#queued.size > 0) this.#grantNext(now);
      },
    };
    queue.leases.add(lease);
    this.#taken += 1;
    if (use.writes) queue.writing += 1;
    return lease;
  }

  #learn(queue: AccountQueue, kind: string, ms: number): void {
    const usual = this.#usual.get(kind);
    if (usual) {
      usual.ms = movingAverage(usual.ms, ms);
    } else {
      queue.unseen = movingAverage(queue.unseen, ms);
      this.#usual.set(kind, { ms });
    }
  }

  /** Gives free connections to those waiting, first to the account that has used the least time. */
  #grantNext(now: number): void {
    while (this.#taken < this.#size) {
      let first: AccountQueue | undefined;
      let at = -1;
      for (const queue of this.#queued) {
        if (first && queue.used >= first.used) continue;
        const next = this.#next(queue, now);
        if (next < 0) continue;
        first = queue;
        at = next;
      }
      if (!first) return;
      const [waiting] = first.waiting.splice(at, 1);
      waiting?.take(now);
      this.#forgetIfIdle(first);
    }
  }

  /** Which of an account's waiting work may go: short work first, unless long work waited enough. */
  #next(queue: AccountQueue, now: number): number {
    const share = this.#quota(queue, now);
    let other = -1;
    let at = -1;
    for (const { use, isLong, since } of queue.waiting) {
      at += 1;
      const overtakes = !isLong || now - since > overtaken;
      if (!overtakes && other >= 0) continue;
      if (!this.#admits(queue, use, isLong, now, share)) continue;
      if (overtakes) return at;
      other = at;
    }
    return other;
  }

  /** Forgets accounts without work, unless they used more than others and would come back as new. */
  #forgetIfIdle(queue: AccountQueue): void {
    if (queue.waiting.length > 0) return;
    this.#queued.delete(queue);
    if (queue.leases.size > 0 || queue.account === undefined) return;
    if (queue.used <= this.#minUsed && (queue.unseen ?? 0) <= long) {
      this.#accounts.delete(queue.account);
    } else if (this.#accounts.size > maxIdleAccounts) this.#accounts.delete(queue.account);
  }
}

/** Accounts that are remembered while they do nothing. */
const maxIdleAccounts = 100;
