/** Accounts as large as plans have to be made for, with something of all that the questions ask about. */
import type { World } from '../kit/world.ts';

const sellers = 20;
const products = 200;

const list = (...texts: readonly string[]) => `(ARRAY['${texts.join("','")}'])`;

/**
 * Fills an account past the service: deals of three years, one contact for five of them, and for each a product,
 * an event and who works on it.
 */
export async function fill(
  { service: { database }, accountId, pipelineId, stageIds, other }: World,
  deals: number,
): Promise<void> {
  /** Adds rows by a formula of `i`: the first id, which the others follow. */
  const add = async (table: string, columns: string, values: string, count: number) => {
    const [row] = await database.query<{ first: number }>(
      `WITH made AS (
        INSERT INTO ${table} (account_id, ${columns}) SELECT ${accountId}, ${values} FROM generate_series(1, ${count}) AS i,
          LATERAL (SELECT timestamptz '2023-01-01' + i::bigint * 7919 % 1576800 * interval '1 minute' AS at) AS one
        RETURNING id
      ) SELECT min(id)::bigint AS first FROM made`,
    );
    return Number(row?.first);
  };
  const people = await add(
    'users',
    'email, full_name, role, language, job_description',
    `'seller' || i || '.${accountId}@example.com', 'Seller ' || i, 'member',
      ${list('en', 'de', 'pt-BR')}[1 + i % 3], ${list('other', 'sales_manager')}[1 + i % 2]`,
    sellers,
  );
  const contacts = await add(
    'contacts',
    'full_name, email, label_list, custom_attributes, created_at',
    `'Person ' || i / 2, CASE WHEN i % 3 > 0 THEN 'p' || i || '@example.com' ELSE '' END,
      ARRAY['label ' || i % 30, 'list ' || i % 7],
      json_build_object('source', ${list('web', 'fair', 'referral', '')}[1 + i % 4], 'score', i % 4), at`,
    deals / 5,
  );
  const catalogue = await add(
    'products',
    'identifier, name, amount_in_cents, quantity_available, custom_attributes',
    `'P' || i % 90, 'Product ' || i, 100 * (1 + i % 50), i % 40, json_build_object('colour', ${list('red', 'blue')}[1 + i % 2])`,
    products,
  );
  // References are right by construction: to check them takes longer than to write the rows.
  await database.query('ALTER TABLE deals DISABLE TRIGGER ALL');
  await database.query('ALTER TABLE deals ENABLE TRIGGER USER');
  const stages = [...stageIds, other.stageId];
  const first = await add(
    'deals',
    `contact_id, stage_id, pipeline_id, created_by_id, name, status, rank, lost_reason, won_at, lost_at,
      total_deal_products_amount_in_cents, custom_attributes, created_at`,
    `${contacts} + i % ${deals / 5}, (ARRAY[${stages}]::bigint[])[1 + i % 4],
      CASE i % 4 WHEN 3 THEN ${other.pipelineId} ELSE ${pipelineId} END, ${people} + i % ${sellers}, 'Deal ' || i,
      ${list('open', 'open', 'won', 'won', 'lost')}[1 + i % 5], i, CASE i % 5 WHEN 4 THEN 'Reason ' || i % 9 ELSE '' END,
      CASE WHEN i % 5 IN (2, 3) THEN at + i % 90 * interval '1 day' END, CASE i % 5 WHEN 4 THEN at + i % 90 * interval '1 day' END,
      1000 * (1 + i % 5), json_build_object('channel', ${list('shop', 'phone')}[1 + i % 2]), at`,
    deals,
  );
  await database.query('ALTER TABLE deals ENABLE TRIGGER ALL');
  await add(
    'deal_assignees',
    'deal_id, user_id',
    `${first} - 1 + i, ${people} + i % ${sellers}`,
    deals,
  );
  await add(
    'deal_products',
    'deal_id, product_id, quantity, unit_amount_in_cents, total_amount_in_cents, product_name',
    `${first} - 1 + i, ${catalogue} + i % ${products}, 1 + i % 5, 1000, 1000 * (1 + i % 5), 'Sold ' || i % 7`,
    deals,
  );
  await add(
    'events',
    'contact_id, deal_id, kind, title, scheduled_at, done_at, created_at',
    `${contacts} + i % ${deals / 5}, ${first} - 1 + i, ${list('note', 'activity', 'activity', 'deal_opened')}[1 + i % 4],
      ${list('Call', 'Visit', '')}[1 + i % 3], at, CASE WHEN i % 3 > 0 THEN at END, at`,
    deals,
  );
}
