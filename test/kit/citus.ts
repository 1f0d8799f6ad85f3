/** The same tests on Citus: TEST_CITUS_WORKERS lists the servers beside that of TEST_DATABASE_URL. */
import { until } from './wait.ts';

/** URLs of the workers, separated by spaces; none without Citus. */
export const workers: readonly string[] = (process.env['TEST_CITUS_WORKERS'] ?? '')
  .split(' ')
  .filter((url) => url !== '');

/**
 * Where one machine is several servers, those who wait in line for a record wait for too long: what was answered 503
 * is asked again, as clients do. On a single server nothing is.
 */
export const inLine = <T extends { readonly status: number }>(ask: () => Promise<T>): Promise<T> =>
  until(ask, ({ status }) => workers.length === 0 || status !== 503, 60_000);
