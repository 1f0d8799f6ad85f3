/** What the database itself promises about accounts, read from its catalogue. */
import { describe, expect, test } from '@jest/globals';
import { account, tables as kinds } from '../../src/generated/shapes.ts';
import type { Fields } from '../../src/resources/kernel/fields/input.ts';
import { resources } from '../../src/resources/shapes.ts';
import { sharedService } from '../kit/service.ts';
import { world } from '../kit/world.ts';

const service = await sharedService();
const [mine, theirs] = [await world(service), await world(service)];

const query = <Row extends object>(text: string, values: readonly unknown[] = []) =>
  service.database.query<Row & Record<string, unknown>>(text, values);

/**
 * Tables without an account: the accounts, the history of migrations, attempts to sign in, and the service's
 * own.
 */
const others = `('accounts', '_prisma_migrations', 'sign_in_attempts', 'signing_secrets', 'push_keys', 'incarnations')`;

/** Tables of accounts. */
async function tables(): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
       AND relname NOT IN ${others} ORDER BY 1`,
  );
  return rows.map((row) => row.name);
}

test('an account has tables of its resources, the trail, sessions and links, saved views, webhooks, notified browsers, stored answers and erasures, and no others', async () => {
  expect(await tables()).toEqual([
    'api_tokens',
    'audit_entries',
    'contact_aliases',
    'contacts',
    'deal_assignees',
    'deal_products',
    'deals',
    'erasure_records',
    'erasures',
    'events',
    'idempotency_keys',
    'pipelines',
    'products',
    'saved_views',
    'sessions',
    'sign_in_codes',
    'stages',
    'users',
    'web_push_subscriptions',
    'webhook_deliveries',
    'webhooks',
  ]);
});

test('every table has account_id, never null', async () => {
  const rows = await query<{ name: string }>(
    `SELECT attrelid::regclass::text AS name FROM pg_attribute
     WHERE attname = 'account_id' AND attnotnull AND attrelid IN
       (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition)
     ORDER BY 1`,
  );
  expect(rows.map((row) => row.name)).toEqual(await tables());
});

test('every primary key begins with account_id', async () => {
  const rows = await query<{ name: string; columns: string[] }>(
    `SELECT indrelid::regclass::text AS name, ${columnsOf('indrelid', 'indkey')} AS columns
     FROM pg_index WHERE indisprimary AND indrelid IN
       (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace) ORDER BY 1`,
  );
  const keys = Object.fromEntries(rows.map((row) => [row.name, row.columns]));
  const special: Record<string, readonly string[]> = {
    // The key of a table by months holds the column that decides the month.
    audit_entries: ['account_id', 'id', 'created_at'],
  };
  for (const table of await tables())
    expect([table, keys[table]]).toEqual([table, special[table] ?? ['account_id', 'id']]);
});

test('no unique key lacks account_id, the users’ email apart', async () => {
  const rows = await query<{ name: string; columns: string[] }>(
    `SELECT indexrelid::regclass::text AS name, ${columnsOf('indrelid', 'indkey')} AS columns
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE indisunique AND relnamespace = 'public'::regnamespace
       AND relname NOT IN ${others}`,
  );
  const lacking = rows.filter((row) => !row.columns.includes('account_id')).map((row) => row.name);
  expect(lacking).toEqual(['users_email_key']);
});

test('no foreign key lacks account_id, on either side', async () => {
  const rows = await query<{ name: string; target: string; ours: string[]; theirs: string[] }>(
    `SELECT conname AS name, confrelid::regclass::text AS target,
       ${columnsOf('conrelid', 'conkey')} AS ours, ${columnsOf('confrelid', 'confkey')} AS theirs
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  );
  expect(rows.length).toBeGreaterThan(15);
  for (const { name, target, ours, theirs: other } of rows) {
    expect([name, ours.includes('account_id')]).toEqual([name, true]);
    const owner = target === 'accounts' ? ['id'] : expect.arrayContaining(['account_id']);
    expect([name, other]).toEqual([name, owner]);
    expect([name, ours.indexOf('account_id')]).toEqual([
      name,
      target === 'accounts' ? 0 : other.indexOf('account_id'),
    ]);
  }
});

test('keys are such as a database takes that spreads accounts over servers', async () => {
  const rows = await query<{ name: string; follows: boolean; at_once: boolean }>(
    `SELECT conname AS name, contype = 'f' AND confupdtype <> 'a' AS follows,
       condeferrable AND NOT condeferred AS at_once
     FROM pg_constraint WHERE connamespace = 'public'::regnamespace`,
  );
  const names = rows.map(({ name }) => name);
  expect(rows.filter((row) => row.follows || row.at_once)).toEqual([]);
  // The number of a part of the table is put behind each name, within 63 bytes.
  expect(names.filter((name) => name.length > 50 || /_\d{6,}$/.test(name))).toEqual([]);
});

test('records know which of their columns may be null', async () => {
  const rows = await query<{ table: string; columns: string[] }>(
    `SELECT table_name AS table, array_agg(column_name::text ORDER BY ordinal_position) AS columns
     FROM information_schema.columns WHERE table_schema = 'public' AND is_nullable = 'YES' GROUP BY 1`,
  );
  const stored = new Map(rows.map(({ table, columns }) => [table, columns]));
  const known = Object.entries({ ...kinds, accounts: account }).map(
    ([table, { columns, nullable }]) => [
      [table, [...nullable].sort()],
      [table, (stored.get(table) ?? []).filter((column) => column in columns).sort()],
    ],
  );
  expect(known.map(([ours]) => ours)).toEqual(known.map(([, theirs]) => theirs));
});

test('no field takes a longer text than its column holds', async () => {
  const rows = await query<{ name: string; width: number }>(
    `SELECT table_name || '.' || column_name AS name, character_maximum_length AS width
     FROM information_schema.columns WHERE table_schema = 'public' AND character_maximum_length > 0`,
  );
  const widths = new Map(rows.map(({ name, width }) => [name, width]));
  const taken = Object.entries(resources).flatMap(([table, kind]) => {
    const fields: Fields = kind.fields;
    return Object.entries(fields).map(([name, { values, limits }]) => ({
      name: `${table}.${name}`,
      longest: values
        ? Math.max(...values.map((value) => String(value).length))
        : (limits?.maxLength ?? Number.POSITIVE_INFINITY),
    }));
  });
  const limited = taken.filter(({ name }) => widths.has(name));
  expect(limited.length).toBeGreaterThan(10);
  expect(limited.filter(({ name, longest }) => longest > (widths.get(name) ?? 0))).toEqual([]);
});

test('every column that names another record has a foreign key', async () => {
  const rows = await query<{ table: string; column: string }>(
    `SELECT attrelid::regclass::text AS table, attname AS column FROM pg_attribute
     JOIN pg_class ON pg_class.oid = attrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
       AND attname ~ '_id$' AND attname NOT IN ('app_id', 'request_id', 'message_id')
       AND relname NOT LIKE 'audit_entries%' AND relname <> '_prisma_migrations'
       -- What happened outlives the record that it happened to, and its entry.
       AND NOT (relname = 'webhook_deliveries' AND attname IN ('record_id', 'entry_id'))
       -- So does an erasure what it is about, and who asked for it.
       AND NOT (relname = 'erasures' AND attname IN ('contact_id', 'user_id', 'token_id'))
       AND NOT (relname = 'erasure_records' AND attname = 'record_id')
       -- And what somebody wrote outlives them.
       AND NOT (relname = 'events' AND attname = 'created_by_id')
       -- What contacts are found by is there until they come back.
       AND NOT (relname = 'contact_aliases' AND attname IN ('contact_id', 'merged_id'))
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = attrelid AND attnum = ANY (conkey))`,
  );
  expect(rows).toEqual([]);
});

describe('the database refuses a reference to another account', () => {
  const refused = (text: string, values: readonly unknown[]) =>
    expect(query(text, values)).rejects.toMatchObject({ code: '23503' });

  test('of a deal to its contact, stage, pipeline and creator', async () => {
    const own = await mine.deal();
    const foreign = await theirs.deal();
    for (const column of ['contact_id', 'created_by_id'] as const) {
      await refused(`UPDATE deals SET ${column} = $1 WHERE id = $2`, [foreign[column], own.id]);
    }
    await refused('UPDATE deals SET stage_id = $1, pipeline_id = $2 WHERE id = $3', [
      foreign.stage_id,
      foreign.pipeline_id,
      own.id,
    ]);
    await refused('UPDATE deals SET account_id = $1 WHERE id = $2', [theirs.accountId, own.id]);
  });

  test('of a deal to a stage of another pipeline', async () => {
    const own = await mine.deal();
    await refused('UPDATE deals SET stage_id = $1 WHERE id = $2', [mine.other.stageId, own.id]);
  });

  test('of a deal product to its deal and product', async () => {
    const own = await mine.dealProduct();
    const foreign = await theirs.dealProduct();
    for (const column of ['deal_id', 'product_id'] as const) {
      await refused(`UPDATE deal_products SET ${column} = $1 WHERE id = $2`, [
        foreign[column],
        own.id,
      ]);
    }
  });

  test('of an assignee, an event, a stage and a token', async () => {
    const own = await mine.deal();
    const foreign = await theirs.deal();
    await refused('UPDATE deal_assignees SET user_id = $1 WHERE deal_id = $2', [
      theirs.admin.id,
      own.id,
    ]);
    await refused('UPDATE deal_assignees SET deal_id = $1 WHERE deal_id = $2', [
      foreign.id,
      own.id,
    ]);
    await refused('UPDATE events SET contact_id = $1 WHERE deal_id = $2', [
      foreign.contact_id,
      own.id,
    ]);
    await refused('UPDATE events SET deal_id = $1 WHERE deal_id = $2', [foreign.id, own.id]);
    await refused('UPDATE stages SET pipeline_id = $1 WHERE id = $2', [
      theirs.pipelineId,
      mine.stageIds[2],
    ]);
    await refused('UPDATE api_tokens SET user_id = $1 WHERE user_id = $2', [
      theirs.admin.id,
      mine.admin.id,
    ]);
  });
});

test('the database refuses negative amounts, wrong totals and invalid fractions of ranks', async () => {
  const { id, deal_id, product_id } = await mine.dealProduct();
  for (const [text, of] of [
    ['UPDATE products SET amount_in_cents = -1', product_id],
    ['UPDATE products SET quantity_available = -1', product_id],
    ['UPDATE deal_products SET quantity = 0, total_amount_in_cents = 0', id],
    ['UPDATE deal_products SET unit_amount_in_cents = -1, total_amount_in_cents = -1', id],
    ['UPDATE deal_products SET total_amount_in_cents = 1', id],
    ['UPDATE deals SET total_deal_products_amount_in_cents = -1', deal_id],
    ['UPDATE deals SET rank_fraction = 1', deal_id],
    ["UPDATE deals SET status = 'other'", deal_id],
  ] as const) {
    await expect(query(`${text} WHERE id = $1`, [of])).rejects.toMatchObject({ code: '23514' });
  }
});

/** SQL: names of the columns of a key, in their order; of expressions too. */
function columnsOf(table: string, key: string): string {
  return `ARRAY(SELECT attname::text FROM unnest(${key}) WITH ORDINALITY AS k (n, at)
    JOIN pg_attribute ON attrelid = ${table} AND attnum = k.n ORDER BY k.at)`;
}
