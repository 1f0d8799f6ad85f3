/** How many connections to PostgreSQL a process has. */

/**
 * As many statements as keep a core or two of PostgreSQL busy. What takes processor time is divided among so many
 * connections; those beyond are for writes, which wait for the disk, and the more of them wait for the same
 * sync the more are written per second.
 */
export const busyConnections = 12;

/** Those beside the pool that exports may have, which keep one for as long as they are read. */
export const exportConnections = 4;

/** Those beside the pool: of exports, and one for health checks. */
export const connectionsBeside = exportConnections + 1;

/** Eight more than can be busy, but fewer where many workers would spend the hundred that PostgreSQL allows by default. */
export const defaultPoolSize = (workers: number): number =>
  Math.min(
    busyConnections + 8,
    Math.max(busyConnections, Math.floor(96 / workers) - connectionsBeside),
  );
