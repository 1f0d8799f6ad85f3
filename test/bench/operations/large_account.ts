/** The account of 300,000 deals whose figures are measured. It is added to the database when they are. */

import type { Database } from '../../../src/db/database.ts';
import { raw } from '../../../src/db/sql/sql.ts';
import { runAll } from '../seed.ts';

/** The account, its first user and its pipeline, of {@link stages}. */
export const large = 51;
const stages = 8;
const deals = 300_000;
const firstId = 10_000_000;

/** Three years of deals: two of five open, two won, one lost, within a quarter of a year. */
const filling = [
  `INSERT INTO accounts (id, name, time_zone) VALUES (${large}, 'Large', 'America/Sao_Paulo')`,
  `INSERT INTO users (id, account_id, email, full_name, role)
    SELECT ${large} + i, ${large}, 'seller' || i || '@example.com', 'Seller ' || i, 'admin' FROM generate_series(0, 19) i`,
  `INSERT INTO pipelines (id, account_id, name) VALUES (${large}, ${large}, 'Sales')`,
  `INSERT INTO stages (id, account_id, pipeline_id, name, position)
    SELECT ${firstId} + s, ${large}, ${large}, 'Stage ' || s, s FROM generate_series(1, ${stages}) s`,
  `INSERT INTO contacts (id, account_id, full_name, label_list, custom_attributes, created_at)
    SELECT ${firstId} + i, ${large}, 'Contact ' || i, ARRAY['label ' || i % 30, 'list ' || i % 7],
      json_build_object('source', (ARRAY['web', 'fair', 'referral', ''])[1 + i % 4]), timestamptz '2023-01-01' + i % 1000 * interval '26 hours'
    FROM generate_series(1, ${deals / 5}) i`,
  `INSERT INTO products (id, account_id, name, amount_in_cents) SELECT ${firstId} + i, ${large}, 'Product ' || i, 100 * i FROM generate_series(1, 200) i`,
  `INSERT INTO deals (id, account_id, contact_id, pipeline_id, stage_id, created_by_id, name, status, rank,
      lost_reason, total_deal_products_amount_in_cents, custom_attributes, created_at, won_at, lost_at)
    SELECT ${firstId} + i, ${large}, ${firstId} + 1 + i % ${deals / 5}, ${large}, ${firstId} + 1 + i % ${stages}, ${large} + i % 20,
      'Deal ' || i, status, i, CASE status WHEN 'lost' THEN 'Reason ' || i % 9 ELSE '' END, 1000 * (1 + i % 5),
      json_build_object('channel', (ARRAY['shop', 'phone'])[1 + i % 2]), created_at, CASE status WHEN 'won' THEN closed_at END, CASE status WHEN 'lost' THEN closed_at END
    FROM generate_series(1, ${deals}) i,
      LATERAL (SELECT (ARRAY['open', 'open', 'won', 'won', 'lost'])[1 + i % 5] AS status,
        timestamptz '2023-01-01' + i % 1000 * interval '26 hours 17 minutes' AS created_at) AS one,
      LATERAL (SELECT created_at + i::bigint * 7919 % 129600 * interval '1 minute' AS closed_at) AS two`,
  `INSERT INTO deal_assignees (account_id, deal_id, user_id)
    SELECT account_id, id, created_by_id FROM deals WHERE account_id = ${large}`,
  `INSERT INTO deal_products (account_id, deal_id, product_id, quantity, unit_amount_in_cents, total_amount_in_cents)
    SELECT account_id, id, ${firstId} + 1 + id % 200, total_deal_products_amount_in_cents / 1000, 1000, total_deal_products_amount_in_cents
    FROM deals WHERE account_id = ${large}`,
  `INSERT INTO events (account_id, deal_id, contact_id, kind, created_at, additional_attributes)
    SELECT account_id, id, contact_id, kind, at, attributes FROM deals, LATERAL (VALUES
        ('deal_opened', created_at, json_build_object('stage_id', ${firstId} + 1, 'stage_name', 'Stage 1')),
        ('deal_stage_change', created_at + interval '1 day', json_build_object('old_stage_id', ${firstId} + 1,
          'old_stage_name', 'Stage 1', 'new_stage_id', stage_id, 'new_stage_name', 'another')),
        ('deal_' || status, coalesce(won_at, lost_at), json_build_object('stage_id', stage_id))
      ) AS told (kind, at, attributes)
    WHERE account_id = ${large} AND kind <> 'deal_open'`,
];

/** Adds the account, unless an earlier run did. */
export async function addLargeAccount(db: Database): Promise<void> {
  const [found] = await db.query(raw(`SELECT FROM accounts WHERE id = ${large}`));
  if (found) return;
  console.error(`adding an account of ${deals} deals`);
  await db.transaction((tx) => runAll(tx, filling));
  await db.query(raw('VACUUM ANALYZE'));
}
