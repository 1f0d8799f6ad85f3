/** Which index serves which search, on tables that are large enough to need one. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ColumnKind, ShapeName } from '../../src/db/shape.ts';
import { shapes } from '../../src/resources/shapes.ts';
import { createDatabase, type TestDatabase } from '../kit/database.ts';
import { findsBy, planOf, readsInSequence, sortsAll } from '../search/plans.ts';

let database: TestDatabase;
const accountId = 1;

const accountOf = 'CASE WHEN i <= 20000 THEN 1 ELSE 2 + i % 3 END';
const rows = 'generate_series(1, 24000) i';
const time = "timestamptz '2024-01-01' + i * interval '7 minutes'";
const text = (salt: string) => `left(md5('${salt}' || i), 12)`;

const statements = [
  "INSERT INTO accounts (id, name) SELECT i, 'Account' FROM generate_series(1, 4) i",
  `INSERT INTO pipelines (id, account_id, name) SELECT a * 100 + i, a, ${text('pipeline')}
    FROM generate_series(1, 4) a, generate_series(1, 5) i`,
  `INSERT INTO stages (id, account_id, pipeline_id, name, position)
    SELECT a * 1000 + i, a, a * 100 + 1 + i % 5, ${text('stage')}, i
    FROM generate_series(1, 4) a, generate_series(1, 200) i`,
  `INSERT INTO users (id, account_id, email, full_name, phone, language, avatar_url, job_description, created_at, updated_at)
    SELECT i, ${accountOf}, ${text('u')} || '@' || ${text('v')} || '.com', ${text('w')}, ${text('x')},
      CASE WHEN i % 500 = 0 THEN 'de' ELSE 'en' END, ${text('y')}, ${text('z')}, ${time}, ${time} FROM ${rows}`,
  `INSERT INTO contacts (id, account_id, full_name, email, phone, label_list, app_type, app_id, custom_attributes, created_at, updated_at)
    SELECT i, ${accountOf}, ${text('a')}, ${text('b')} || '@' || ${text('c')} || '.com', ${text('d')},
      ARRAY['label ' || i % 500], ${text('e')}, i, json_build_object('city', ${text('f')}), ${time}, ${time} FROM ${rows}`,
  `INSERT INTO products (id, account_id, identifier, name, description, amount_in_cents, quantity_available, custom_attributes, created_at, updated_at)
    SELECT i, ${accountOf}, ${text('g')}, ${text('h')}, ${text('i')}, i * 7, i * 3, json_build_object('city', ${text('f')}), ${time}, ${time} FROM ${rows}`,
  `INSERT INTO deals (id, account_id, contact_id, pipeline_id, stage_id, created_by_id, name, status, position, lost_reason,
      lost_at, won_at, total_deal_products_amount_in_cents, custom_attributes, created_at, updated_at)
    SELECT i, a, i, a * 100 + 1 + i % 200 % 5, a * 1000 + CASE i % 200 WHEN 0 THEN 200 ELSE i % 200 END, i, ${text('j')},
      CASE WHEN i % 500 = 0 THEN 'lost' ELSE 'open' END, i, ${text('k')}, ${time}, ${time}, i,
      json_build_object('city', ${text('f')}), ${time}, ${time}
    FROM (SELECT i, ${accountOf} AS a FROM ${rows}) AS t`,
  `INSERT INTO deal_products (id, account_id, deal_id, product_id, quantity, unit_amount_in_cents, total_amount_in_cents,
      product_name, product_identifier, created_at, updated_at)
    SELECT i, ${accountOf}, i, i, i, 1, i, ${text('l')}, ${text('m')}, ${time}, ${time} FROM ${rows}`,
  `INSERT INTO events (id, account_id, contact_id, deal_id, kind, title, scheduled_at, done_at, created_at, updated_at)
    SELECT i, ${accountOf}, i, i, CASE WHEN i % 500 = 0 THEN 'activity' ELSE 'note' END, ${text('n')}, ${time}, ${time}, ${time}, ${time} FROM ${rows}`,
];

beforeAll(async () => {
  database = await createDatabase();
  // References are right by construction: to check them takes longer than to write the rows.
  await database.query(`BEGIN; SET LOCAL session_replication_role = replica;
    ${statements.join(';\n')}; COMMIT; ANALYZE`);
}, 60_000);
afterAll(() => database.close());

test('observe', async () => {
  console.log(JSON.stringify(await observe(), null, 1));
});
async function observe() {
  const out: Record<string, string> = {};
  for (const [name, shape] of Object.entries(shapes)) {
    for (const column of shape.searchable) {
      const kind = shape.columns[column]!;
      const key = kind === 'json' ? `${column}.city` : column;
      const value = kind === 'json' ? `${column} ->> 'city'` : kind === 'labels' ? `${column}[1]` : column;
      const [r] = await database.query<any>(`SELECT (SELECT v FROM (SELECT ${value} AS v FROM ${shape.table} WHERE account_id = 1) t WHERE v IS NOT NULL GROUP BY v ORDER BY count(*), v LIMIT 1) AS rare,
        percentile_disc(0.5) WITHIN GROUP (ORDER BY ${value}) AS lo, percentile_disc(0.5005) WITHIN GROUP (ORDER BY ${value}) AS hi FROM ${shape.table} WHERE account_id = 1`);
      const t = String(r.rare);
      const asks: Record<string, object> = { equality: { [`${key}_eq`]: r.rare }, range: { [`${key}_gteq`]: r.lo, [`${key}_lteq`]: r.hi } };
      if (['text', 'json', 'labels'].includes(kind)) Object.assign(asks, { cont: { [`${key}_cont`]: t.slice(4, 12) }, start: { [`${key}_start`]: t.slice(0, 12) }, end: { [`${key}_end`]: t.slice(-12) }, matches: { [`${key}_matches`]: `%${t.slice(4, 8)}_${t.slice(9, 13)}%` } });
      if (kind !== 'json' && kind !== 'labels') asks.sort = { s: `${column} asc` };
      const got: string[] = [];
      for (const [c, q] of Object.entries(asks)) {
        const plan = await planOf(database, name as ShapeName, 1, JSON.parse(JSON.stringify(q)));
        const ok = c === 'sort' ? !sortsAll(plan) : findsBy(plan, column) && !readsInSequence(plan, shape.table);
        got.push(ok ? c : `(${c})`);
      }
      out[`${name}.${column}`] = got.join(' ');
    }
  }
  return out;
}
