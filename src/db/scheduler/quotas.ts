/** How many of a pool's connections one account can have. */

/** The connections that an account may have at most: in all, for writes, and for long work. */
export interface Share {
  readonly all: number;
  readonly writes: number;
  readonly long: number;
}

/** What the service itself may have, an account that is alone, and one beside others. */
export type Shares = Readonly<Record<'own' | 'alone' | 'beside', Share>>;

/**
 * An account that is alone may have all connections but one, which is kept for the next account. Beside others
 * it has half of them.
 * @param size of the pool
 */
export const sharesOf = (size: number): Shares => ({
  own: { all: size, writes: size, long: size },
  alone: shareOf(size - 1, size / 2),
  beside: shareOf(Math.ceil(size / 2), size / 5),
});

/** One of the connections is for reads only, unless there is no other. */
const shareOf = (all: number, long: number): Share => ({
  all: Math.max(1, all),
  writes: Math.max(1, all - 1),
  long: Math.max(1, Math.floor(long)),
});
