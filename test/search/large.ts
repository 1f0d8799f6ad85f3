/** Tables of a size that plans are made for, in one account with 10,000 records of each kind. */
import type { TestDatabase } from '../kit/database.ts';

export const accountId = 1;

const owner = `CASE WHEN i <= 10000 THEN ${accountId} ELSE 2 + i % 3 END`;
const rows = 'generate_series(1, 12000) i';
const time = "timestamptz '2024-01-01' + i * interval '7 minutes'";
/** What all texts hold a part of, and each a part of its own. */
export const common = 'of all';
const text = (salt: string) => `left(md5('${salt}' || i), 12) || ' ${common}'`;
const object = `json_build_object('city', ${text('city')})`;

const statements = [
  "INSERT INTO accounts (id, name) SELECT i, 'Account' FROM generate_series(1, 4) i",
  `INSERT INTO pipelines (id, account_id, name) SELECT a * 100 + i, a, ${text('a')}
    FROM generate_series(1, 4) a, generate_series(1, 5) i`,
  `INSERT INTO stages (id, account_id, pipeline_id, name, position)
    SELECT a * 1000 + i, a, a * 100 + 1 + i % 5, ${text('b')}, i
    FROM generate_series(1, 4) a, generate_series(1, 200) i`,
  `INSERT INTO users (id, account_id, email, full_name, phone, language, avatar_url,
      job_description, created_at, updated_at)
    SELECT i, ${owner}, ${text('c')} || '@' || ${text('d')}, ${text('e')}, ${text('f')},
      CASE WHEN i % 500 = 0 THEN 'de' ELSE 'en' END, ${text('g')}, ${text('h')}, ${time}, ${time}
    FROM ${rows}`,
  `INSERT INTO contacts (id, account_id, full_name, email, phone, label_list, app_type, app_id,
      custom_attributes, created_at, updated_at)
    SELECT i, ${owner}, ${text('i')}, ${text('j')} || '@' || ${text('k')}, ${text('l')},
      ARRAY['label ' || i % 500], ${text('m')}, i, ${object}, ${time}, ${time} FROM ${rows}`,
  `INSERT INTO products (id, account_id, identifier, name, description, amount_in_cents,
      quantity_available, custom_attributes, created_at, updated_at)
    SELECT i, ${owner}, ${text('n')}, ${text('o')}, ${text('p')}, i * 7, i * 3, ${object}, ${time},
      ${time} FROM ${rows}`,
  `INSERT INTO deals (id, account_id, contact_id, pipeline_id, stage_id, created_by_id, name, status,
      rank, lost_reason, lost_at, won_at, total_deal_products_amount_in_cents,
      custom_attributes, created_at, updated_at)
    SELECT i, a, i, a * 100 + 1 + i % 5, a * 1000 + 1 + i % 200, i, ${text('q')},
      CASE WHEN i % 500 = 0 THEN 'lost' ELSE 'open' END, i, ${text('r')}, ${time}, ${time}, i,
      ${object}, ${time}, ${time}
    FROM (SELECT i, ${owner} AS a FROM ${rows}) AS of`,
  `INSERT INTO deal_products (id, account_id, deal_id, product_id, quantity, unit_amount_in_cents,
      total_amount_in_cents, product_name, product_identifier, created_at, updated_at)
    SELECT i, ${owner}, i, i, i, 1, i, ${text('s')}, ${text('t')}, ${time}, ${time} FROM ${rows}`,
  `INSERT INTO events (id, account_id, contact_id, deal_id, kind, title, scheduled_at, done_at,
      created_at, updated_at)
    SELECT i, ${owner}, i, i, CASE WHEN i % 500 = 0 THEN 'activity' ELSE 'note' END, ${text('u')},
      ${time}, ${time}, ${time}, ${time} FROM ${rows}`,
];

interface Index {
  readonly name: string;
  readonly definition: string;
}

export async function fill(database: TestDatabase): Promise<void> {
  // Indexes of rows that are there are made in a third of the time that it takes to add each row to them.
  const indexes = await database.query<Index & Record<string, unknown>>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index JOIN pg_class ON pg_class.oid = indrelid
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND NOT relispartition AND NOT indisunique`,
  );
  await database.query(`DROP INDEX ${indexes.map(({ name }) => name).join()}`);
  // References are right by construction: to check them takes longer than to write the rows, which only are to be folded.
  const folding = ['contacts', 'deals', 'products', 'users'].map(
    (table) => `ALTER TABLE ${table} ENABLE ALWAYS TRIGGER fold_inserted_1`,
  );
  await database.query(
    `BEGIN; SET LOCAL session_replication_role = replica; ${[...folding, ...statements].join(';')}; COMMIT`,
  );
  for (const { definition } of indexes) await database.query(definition);
  await database.query('VACUUM ANALYZE');
}
