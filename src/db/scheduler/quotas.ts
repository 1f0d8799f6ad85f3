/** How many of a pool's connections one account can have. */
import { busyConnections } from '../../config/connections.ts';

/** The connections that an account may have at most: in all, for writes, for reads, and for long ones of these. */
export interface Quota {
  readonly all: number;
  readonly writes: number;
  readonly reads: number;
  readonly long: number;
}

/** What the service itself may have, an account that is alone, and one among others. */
export type Quotas = Readonly<Record<'system' | 'exclusive' | 'contended', Quota>>;

/**
 * An account that is alone may have all connections but one, which is kept for the next account. Among others
 * it has half of those that PostgreSQL can work on at once.
 * @param size of the pool
 */
export function quotasOf(size: number): Quotas {
  const busy = Math.min(size, busyConnections);
  return {
    system: { all: size, writes: size, reads: size, long: size },
    exclusive: quotaOf(size - 1, busy - 1, busy / 2),
    contended: quotaOf(Math.ceil(busy / 2), busy, busy / 5),
  };
}

/** How many connections of a pool may be at long work, of all accounts together. */
export const maxLong = (size: number): number => Math.max(1, Math.min(size, busyConnections) / 2);

/** One of the connections is for reads only, unless there is no other. */
const quotaOf = (all: number, reads: number, long: number): Quota => ({
  all: Math.max(1, all),
  writes: Math.max(1, all - 1),
  reads: Math.max(1, reads),
  long: Math.max(1, Math.floor(long)),
});
