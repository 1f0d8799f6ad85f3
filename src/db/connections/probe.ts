import type { Queryable } from '../database.ts';
import { openPool } from './pool.ts';

/** A connection beside the pool that requests use. */
export interface Probe extends Queryable {
  close(): Promise<void>;
}

/**
 * Opens a connection for health checks, which must be answered however busy the pool is: it is made
 * at the first question, and each is answered or has failed after four seconds.
 */
export function openProbe(url: string): Probe {
  const pool = openPool({ url, poolSize: 1, connectTimeoutMs: 2000, statementTimeoutMs: 1000 });
  // The next question has a new one.
  pool.on('error', () => undefined);
  return {
    query: async ({ text, values }) => (await pool.query({ text, values: [...values] })).rows,
    close: () => pool.end(),
  };
}
