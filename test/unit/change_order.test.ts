/** The order of changes, while transactions of all kinds overlap. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open.ts';
import type { FeedPosition } from '../../src/resources/changes/cursor.ts';
import { type Changes, readPage } from '../../src/resources/changes/page.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { seeded } from '../kit/seeded.ts';

let seen: TestDatabase;
let database: Database;
let accountId: number;
beforeAll(async () => {
  seen = await createDatabase();
  database = await openDatabase({ url: seen.url });
  const [account] = await seen.query<{ id: number }>(
    "INSERT INTO accounts (name, updated_at) VALUES ('Racing', now()) RETURNING id",
  );
  accountId = account?.id ?? 0;
  await seen.query(
    `INSERT INTO products (account_id, identifier, name, quantity_available, updated_at)
     SELECT $1, n, n, 0, now() FROM generate_series(1, 3) AS n`,
    [accountId],
  );
});
afterAll(async () => {
  await database.close();
  await seen.close();
});

/** Adds one to a product, and says so as all writes do: in the same statement. */
const add = `WITH written AS (
    UPDATE products SET quantity_available = quantity_available + 1
    WHERE account_id = $1 AND identifier = $2 RETURNING id, quantity_available
  )
  INSERT INTO audit_entries (account_id, action, record_type, record_id, after)
  SELECT $1, 'product.update', 'product', id, json_build_object('n', quantity_available) FROM written`;

/** Transactions that overlap in every way: each is a list of what it does. */
const kinds: readonly (readonly string[])[] = [
  // Alone, or in a queue for the row.
  [add],
  // With its number long before it writes, while others come and go.
  ['BEGIN', 'SELECT pg_current_xact_id()', 'SELECT pg_sleep(0.01)', add, 'COMMIT'],
  // With the row long after it wrote.
  ['BEGIN', add, 'SELECT pg_sleep(0.002)', 'COMMIT'],
  ['BEGIN', add, 'SELECT pg_sleep(0.002)', 'ROLLBACK'],
  ['BEGIN', 'SAVEPOINT one', add, 'ROLLBACK TO one', add, 'COMMIT'],
  ['BEGIN', 'SELECT pg_current_xact_id()', 'ROLLBACK'],
];

async function write(seed: number, times: number): Promise<void> {
  const below = seeded(seed);
  const client = new pg.Client({ connectionString: seen.url });
  await client.connect();
  for (let time = 0; time < times; time++) {
    // One row at a time, so that none waits for another that waits for it.
    const product = String(1 + below(3));
    for (const text of kinds[below(kinds.length)] ?? []) {
      await client.query(text, text === add ? [accountId, product] : []);
    }
  }
  await client.end();
}

interface Told {
  readonly record: number;
  readonly n: number;
}

const page = (after: Changes['next'] | undefined, limit: number) =>
  readPage(database, { accountId, after, actions: ['product.update'], limit });

/**
 * Reads pages of one size until all is written, and then what is left: what is at work elsewhere on
 * the server may hold it up.
 * @param last where the last change stands, once all are written
 */
async function follow(limit: number, last: () => FeedPosition | undefined): Promise<Told[]> {
  const told: Told[] = [];
  let after: Changes['next'] | undefined;
  for (;;) {
    const end = last();
    const { data, next } = await page(after, limit);
    for (const { record_id, after: fields } of data) {
      told.push({ record: record_id, n: JSON.parse(fields ?? '').n });
    }
    after = next;
    if (end && next.order === end.order && next.id === end.id) return told;
  }
}

test('whoever reads on while others write misses nothing, is told nothing twice, and each record’s changes in order', async () => {
  let last: FeedPosition | undefined;
  const writing = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((seed) => write(seed, 40)));
  const reading = [1, 2, 7, 1000].map((limit) => follow(limit, () => last));
  await writing;
  [last] = await seen.query<FeedPosition>(
    'SELECT change_order AS order, id FROM audit_entries ORDER BY change_order DESC, id DESC LIMIT 1',
  );
  const told = await Promise.all(reading);
  const counted = await seen.query<{ record: number; n: number }>(
    'SELECT id AS record, quantity_available AS n FROM products WHERE account_id = $1',
    [accountId],
  );
  const [first] = told;
  expect(counted.reduce((sum, { n }) => sum + n, 0)).toBeGreaterThan(100);
  for (const each of told) {
    for (const { record, n } of counted) {
      const own = each.flatMap((one) => (one.record === record ? one.n : []));
      expect(own).toEqual(Array.from({ length: n }, (_, at) => at + 1));
    }
    expect(each).toEqual(first);
  }
});
