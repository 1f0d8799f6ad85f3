/** Fills an empty, migrated database with many accounts, by formula. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../../src/db/database.ts';
import { raw } from '../../src/db/sql/sql.ts';

const accounts = 50;
const stages = 8;
const firstNames = ['Ana', 'Bruno', 'Carla', 'Diego', 'Elisa', 'Fabio', 'Gina', 'Hugo'];
const lastNames = ['Lima', 'Souza', 'Costa', 'Rocha', 'Alves', 'Nunes'];
const array = (texts: readonly string[]) => `ARRAY['${texts.join("','")}']`;

/** The nth name of a contact; every account has all first and last names. */
export function nameOf(n: number): string {
  const first = firstNames[n % firstNames.length];
  const last = lastNames[Math.floor(n / firstNames.length) % lastNames.length];
  return `${first} ${last} ${createHash('md5').update(String(n)).digest('hex')}`;
}

/** A filled database: every id of it can be computed. */
export interface Seed {
  /** Statements that fill an empty, migrated database. */
  readonly statements: readonly string[];
  /** Statements that take away again what runs have created; what they changed stays. */
  readonly cleaning: readonly string[];
  /** The nth contact of an account, from 0; past the last it begins anew, as with the others. */
  readonly contactId: (account: number, n: number) => number;
  readonly dealId: (account: number, n: number) => number;
  readonly productId: (account: number, n: number) => number;
  readonly stageId: (account: number, n: number) => number;
}

/**
 * @param contacts of all accounts, a multiple of 10,000; everything else is in proportion
 */
export function seedOf(contacts: number): Seed {
  const deals = 1.5 * contacts;
  const products = contacts / 20;
  const scattered = (count: number) => (account: number, n: number) =>
    account + accounts * (n % (count / accounts));
  const inARow = (each: number) => (account: number, n: number) =>
    (account - 1) * each + 1 + (n % each);
  return {
    statements: statements({ contacts, deals, products, dealProducts: 2.5 * contacts }),
    cleaning: [
      `DELETE FROM contacts WHERE id > ${contacts} AND account_id <= ${accounts}`,
      `DELETE FROM deal_products WHERE id > ${2.5 * contacts} AND account_id <= ${accounts}`,
      "DELETE FROM events WHERE kind = 'deal_product_added'",
      'DELETE FROM audit_entries',
      'DELETE FROM idempotency_keys',
      answers,
      'DELETE FROM webhooks',
      'VACUUM ANALYZE',
    ],
    contactId: scattered(contacts),
    dealId: scattered(deals),
    productId: inARow(products / accounts),
    stageId: inARow(stages),
  };
}

export async function runAll(db: Queryable, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await db.query(raw(statement));
}

/** How much there is, over all accounts. */
interface Amounts {
  readonly contacts: number;
  readonly deals: number;
  readonly products: number;
  readonly dealProducts: number;
}

/** Answers to keys: of a table that is empty PostgreSQL plans to read all, and goes on so while it grows. */
const answers = `INSERT INTO idempotency_keys (account_id, digest, kid, fingerprint, status, answer, tells_of)
    SELECT 1 + i % ${accounts}, 'seed ' || i, '', '', 201, '', '{}' FROM generate_series(1, 10000) i`;

/** Rows of an account are spread over the table, as they are in a service that has grown. */
const statements = ({ contacts, deals, products, dealProducts }: Amounts): string[] => [
  `INSERT INTO accounts (id, name) SELECT i, 'Account ' || i FROM generate_series(1, ${accounts}) i`,
  `INSERT INTO users (id, account_id, email, role)
    SELECT i, i, 'admin' || i || '@example.com', 'admin' FROM generate_series(1, ${accounts}) i`,
  `INSERT INTO pipelines (id, account_id, name)
    SELECT i, i, 'Sales' FROM generate_series(1, ${accounts}) i`,
  `INSERT INTO stages (id, account_id, pipeline_id, name, position, deals_count)
    SELECT (a - 1) * ${stages} + s, a, a, 'Stage ' || s, s, ${deals / accounts / stages}
    FROM generate_series(1, ${accounts}) a, generate_series(1, ${stages}) s`,
  `INSERT INTO contacts (id, account_id, full_name, email, phone, label_list, custom_attributes)
    SELECT i, 1 + (i - 1) % ${accounts},
      (${array(firstNames)})[1 + (i - 1) / ${accounts} % ${firstNames.length}] || ' ' ||
      (${array(lastNames)})[1 + (i - 1) / ${accounts * firstNames.length} % ${lastNames.length}] || ' ' || md5(i::text),
      'c' || i || '@example.com', '+55119' || lpad(i::text, 8, '0'), ARRAY['lead', 'newsletter'],
      ('{"city":"Sao Paulo","score":' || i % 100 || '}')::json
    FROM generate_series(1, ${contacts}) AS t(i)`,
  `INSERT INTO products (id, account_id, identifier, name, amount_in_cents, quantity_available)
    SELECT i, 1 + (i - 1) / ${products / accounts}, 'SKU-' || i, 'Product ' || i, 100 * (1 + i % 90), i % 40
    FROM generate_series(1, ${products}) i`,
  `INSERT INTO deals (id, account_id, contact_id, pipeline_id, stage_id, created_by_id, name, status, rank, won_at)
    SELECT i, a, a + ${accounts} * (k % ${contacts / accounts}), a, (a - 1) * ${stages} + 1 + k % ${stages}, a,
      'Deal ' || md5(i::text), CASE k % 5 WHEN 4 THEN 'won' ELSE 'open' END, k / ${stages} + 1,
      CASE k % 5 WHEN 4 THEN now() END
    FROM (SELECT i, 1 + (i - 1) % ${accounts} AS a, (i - 1) / ${accounts} AS k FROM generate_series(1, ${deals}) i) t`,
  `INSERT INTO deal_assignees (account_id, deal_id, user_id)
    SELECT account_id, id, account_id FROM deals ORDER BY id`,
  `INSERT INTO events (account_id, deal_id, contact_id, kind, from_me, done_at, additional_attributes)
    SELECT account_id, id, contact_id, 'deal_opened', true, now(), json_build_object('stage_id', stage_id)
    FROM deals ORDER BY id`,
  `INSERT INTO deal_products (id, account_id, deal_id, product_id, quantity, unit_amount_in_cents,
      total_amount_in_cents, product_name, product_identifier)
    SELECT i, a, a + ${accounts} * (k % ${deals / accounts}), (a - 1) * ${products / accounts} + 1 + k % ${products / accounts},
      1 + k % 5, 1000, 1000 * (1 + k % 5), 'Product', 'SKU'
    FROM (SELECT i, 1 + (i - 1) % ${accounts} AS a, (i - 1) / ${accounts} AS k FROM generate_series(1, ${dealProducts}) i) t`,
  `UPDATE deals SET total_deal_products_amount_in_cents = t.total
    FROM (SELECT account_id, deal_id, sum(total_amount_in_cents) AS total FROM deal_products GROUP BY 1, 2) t
    WHERE deals.account_id = t.account_id AND deals.id = t.deal_id`,
  ...[
    'accounts',
    'users',
    'pipelines',
    'stages',
    'contacts',
    'products',
    'deals',
    'deal_products',
  ].map((table) => `SELECT setval('${table}_id_seq', (SELECT max(id) FROM ${table}))`),
  answers,
  'VACUUM ANALYZE',
];
