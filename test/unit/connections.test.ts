import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readConfig } from '../../src/config/config.ts';
import { countConnections } from '../../src/db/connections/connections.ts';
import { openDatabase } from '../../src/db/open.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { startService } from '../kit/service.ts';

let database: TestDatabase;
const role = `crm_few_${randomBytes(4).toString('hex')}`;
beforeAll(async () => {
  database = await createDatabase();
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT 20`);
});
afterAll(async () => {
  await database.query(`DROP ROLE ${role}`);
  await database.close();
});

/** What a role is allowed, beside what a machine of three workers wants. */
async function countAs(user?: string) {
  const url = new URL(database.url);
  if (user !== undefined) [url.username, url.password] = [user, 'few'];
  const db = await openDatabase({ url: url.href });
  const config = readConfig({ WORKERS: '3', DATABASE_POOL: '7' });
  return countConnections(db, config).finally(() => db.close());
}

test('the pools of all workers are held against the server, the role and the database', async () => {
  const [{ max } = { max: 0 }] = await database.query<{ max: number }>(
    `SELECT sum(setting::int * CASE name WHEN 'max_connections' THEN 1 ELSE -1 END)::int AS max
     FROM pg_settings WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
  );
  expect(max).toBeGreaterThan(20);
  expect(await countAs()).toEqual({ wanted: 37, allowed: max });
  expect(await countAs(role)).toEqual({ wanted: 37, allowed: 20 });
  await database.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 15', current_database()); END $$`,
  );
  expect(await countAs()).toEqual({ wanted: 37, allowed: 15 });
});

test.each([
  [1, 20],
  [3, 20],
  [4, 19],
  [5, 14],
  [6, 12],
  [64, 12],
])('of %i workers each has %i connections where nobody says how many', (workers, poolSize) => {
  const config = readConfig({ WORKERS: String(workers) });
  expect(config.database.poolSize).toBe(poolSize);
});

test.each([
  ['9', 0],
  ['900', 1],
])(
  'a service with a pool of %s says %i times at its start that this is too much',
  async (pool, times) => {
    const service = await startService({ env: { WORKERS: '1', DATABASE_POOL: pool } });
    await service.close();
    const said = service.logged.filter((line) => line.includes('WORKERS × DATABASE_POOL'));
    expect(said).toHaveLength(times);
  },
);
