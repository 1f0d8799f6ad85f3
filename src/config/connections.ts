/** How many connections to PostgreSQL a process has. */

/**
 * As many statements as keep a core or two of PostgreSQL busy. Reads have no more connections than these, nor have
 * accounts that share a process. Those beyond are for writes of an account that is alone: they wait for the disk, and
 * the more of them wait for the same sync, the more are written per second.
 */
export const busyConnections = 12;

/** Those beside the pool that exports may have, which keep one for as long as they are read. */
export const exportConnections = 4;

/** Those beside the pool: of exports, and one for health checks. */
export const connectionsBeside = exportConnections + 1;

/** What PostgreSQL allows by default: a hundred, less three for superusers and one for a migration or a command. */
const usualServer = 96;

/** Eight more than can be busy, but fewer where many workers would need more than {@link usualServer}. */
export const defaultPoolSize = (workers: number): number =>
  Math.min(
    busyConnections + 8,
    Math.max(busyConnections, Math.floor(usualServer / workers) - connectionsBeside),
  );
