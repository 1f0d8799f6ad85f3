/** Databases of several servers, as Citus makes them one. */
import pg from 'pg';
import { distribute } from '../../src/db/migrations/distribute.ts';
import { workers } from './citus.ts';

/** The same database on another server. */
function on(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = new URL(database).pathname;
  return url.href;
}

async function run(url: string, text: string, values: readonly unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text, [...values]).finally(() => client.end());
}

/**
 * Makes one of databases of a name that each server has.
 * @param url of the one on the coordinator
 */
export async function join(
  url: string,
  others: readonly string[] = workers.map((server) => on(server, url)),
): Promise<void> {
  for (const each of [url, ...others]) await run(each, 'CREATE EXTENSION citus');
  const { hostname, port } = new URL(url);
  await run(url, 'SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port)]);
  for (const each of others) {
    const { hostname, port } = new URL(each);
    await run(url, 'SELECT citus_add_node($1, $2)', [hostname, Number(port)]);
  }
}

/**
 * Distributes a migrated database and makes sure that it can be copied: Citus itself stays connected
 * to a database that it was used in.
 */
export async function distributeTemplate(url: string): Promise<void> {
  await distribute(url);
  const name = new URL(url).pathname.slice(1);
  for (const server of [url, ...workers]) {
    const admin = new URL(server);
    admin.pathname = '/postgres';
    await run(admin.href, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await run(
      admin.href,
      'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1',
      [name],
    );
  }
}
