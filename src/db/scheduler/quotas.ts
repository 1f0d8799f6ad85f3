/** How many of a pool's connections one account can have. */

/** The connections that an account may have at most: in all, for writes, and for long work. */
export interface Quota {
  readonly all: number;
  readonly writes: number;
  readonly long: number;
}

/** What the service itself may have, an account that is alone, and one among others. */
export type Quotas = Readonly<Record<'system' | 'exclusive' | 'contended', Quota>>;

/**
 * An account that is alone may have all connections but one, which is kept for the next account. Among others
 * it has three eighths of them: what several have at work shares PostgreSQL's processors.
 * @param size of the pool
 */
export const quotasOf = (size: number): Quotas => ({
  system: { all: size, writes: size, long: size },
  exclusive: quotaOf(size - 1, (size * 3) / 8),
  contended: quotaOf(Math.ceil((size * 3) / 8), size / 8),
});

/** How many connections may be at long work, of all accounts together. @param size of the pool */
export const maxLong = (size: number): number => Math.ceil((size * 3) / 8);

/** One of the connections is for reads only, unless there is no other. */
const quotaOf = (all: number, long: number): Quota => ({
  all: Math.max(1, all),
  writes: Math.max(1, all - 1),
  long: Math.max(1, Math.floor(long)),
});
