/**
 * A fair-share scheduler of the pool's connections: the next goes to the account that has used them for the least
 * time, and none gets so many that another would have to wait for its long work.
 */
import { LRUCache } from 'lru-cache';
import { Fault } from '../../errors/errors.ts';
import { type Quota, type Quotas, quotasOf } from './quotas.ts';
import { movingAverage } from './statement_statistic.ts';

/** What a connection is wanted for. */
export interface Use {
  /** Whose work it is; undefined for the service's own, which nothing holds back. */
  readonly account: number | undefined;
  /** Whether it may wait for a lock. */
  readonly writes: boolean;
  /** Identifies work that takes about as long each time, such as its SQL; transactions have none. */
  readonly kind?: string;
  /** When the caller has no more time, on the clock of `performance`; never when not given. */
  readonly until?: number;
}

/** The right to use one connection. */
export interface Lease {
  /** Gives it back; safe to call again. */
  release(): void;
}

/** Work that takes more milliseconds is long. */
const long = 50;

/** An account that asked for nothing for this many milliseconds no longer counts as present. */
const present = 1000;

/** After waiting this many milliseconds, long work is no longer overtaken by its account's short work. */
const overtaken = 500;

/** How often to look for those who have waited too long, in milliseconds. */
const looking = 25;

/** The connections that one account has and waits for. */
interface AccountQueue {
  readonly account: number | undefined;
  readonly leases: Set<OpenLease>;
  /** How many of them are for writes. */
  writing: number;
  readonly waiting: Waiting[];
  /**
   * Milliseconds for which it has used connections, each counted by itself; newcomers start at the
   * least of others.
   */
  used: number;
  /** How long kinds of reading took when they ran for the first time; undefined before there was one. */
  unseen?: number;
}

interface OpenLease extends Lease {
  readonly use: Use;
  readonly since: number;
  readonly isLong: boolean;
}

interface Waiting {
  readonly use: Use;
  readonly isLong: boolean;
  readonly since: number;
  /** When it has waited for too long. */
  readonly until: number;
  take(now: number): void;
  giveUp(): void;
}

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
        take: (now) => resolve(this.#grant(queue, use, isLong, now)),
        giveUp: () => reject(new Fault('UNAVAILABLE', ['The database is busy'])),
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
    if (!isLong) return true;
    return longOf(queue, now) < share.long && this.#long(now) < Math.max(1, this.#size / 2);
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

/** Work counts as long once it has taken long, whatever was expected. */
function longOf(queue: AccountQueue, now: number): number {
  let all = 0;
  for (const { use, isLong, since } of queue.leases) {
    if (!use.writes && (isLong || now - since > long)) all += 1;
  }
  return all;
}
