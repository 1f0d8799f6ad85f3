/** The connections that one account has, and those that it waits for. */

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
export const long = 50;

/** The connections that one account has and waits for. */
export interface AccountQueue {
  readonly account: number | undefined;
  readonly leases: Set<OpenLease>;
  /** How many of them are for writes. */
  writing: number;
  readonly waiting: LeaseRequest[];
  /**
   * Milliseconds for which it has used connections, each counted by itself; newcomers start at the
   * least of others.
   */
  used: number;
  /** How long kinds of reading took when they ran for the first time; undefined before there was one. */
  unseen?: number;
}

export interface OpenLease extends Lease {
  readonly use: Use;
  readonly since: number;
  readonly isLong: boolean;
}

export interface LeaseRequest {
  readonly use: Use;
  readonly isLong: boolean;
  readonly since: number;
  /** When it has waited for too long. */
  readonly until: number;
  take(now: number): void;
  giveUp(): void;
}

/** Work counts as long once it has taken long, whatever was expected. */
export function longOf(queue: AccountQueue, now: number): number {
  let all = 0;
  for (const { use, isLong, since } of queue.leases) {
    if (!use.writes && (isLong || now - since > long)) all += 1;
  }
  return all;
}
