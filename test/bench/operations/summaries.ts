/**
 * Dashboards of an account of 300,000 deals, and the same answers by hand-written SQL. The account is
 * added to the database when they are measured.
 */

import type { Database } from '../../../src/db/database.ts';
import { raw } from '../../../src/db/sql/sql.ts';
import { runAll } from '../seed.ts';
import { graphql, type Operation } from './operation.ts';

/** The account, its first user and its pipeline, of {@link stages}. */
const large = 51;
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
  `INSERT INTO contacts (id, account_id, full_name, label_list)
    SELECT ${firstId} + i, ${large}, 'Contact ' || i, ARRAY['label ' || i % 30, 'list ' || i % 7]
    FROM generate_series(1, ${deals / 5}) i`,
  `INSERT INTO products (id, account_id, name) SELECT ${firstId} + i, ${large}, 'Product ' || i FROM generate_series(1, 200) i`,
  `INSERT INTO deals (id, account_id, contact_id, pipeline_id, stage_id, created_by_id, name, status, rank,
      lost_reason, total_deal_products_amount_in_cents, created_at, won_at, lost_at)
    SELECT ${firstId} + i, ${large}, ${firstId} + 1 + i % ${deals / 5}, ${large}, ${firstId} + 1 + i % ${stages}, ${large} + i % 20,
      'Deal ' || i, status, i, CASE status WHEN 'lost' THEN 'Reason ' || i % 9 ELSE '' END, 1000 * (1 + i % 5),
      created_at, CASE status WHEN 'won' THEN closed_at END, CASE status WHEN 'lost' THEN closed_at END
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
async function addLargeAccount(db: Database): Promise<void> {
  const [found] = await db.query(raw(`SELECT FROM accounts WHERE id = ${large}`));
  if (found) return;
  console.error(`adding an account of ${deals} deals`);
  await db.transaction((tx) => runAll(tx, filling));
  await db.query(raw('VACUUM ANALYZE'));
}

interface Summary {
  readonly name: string;
  /** Root field of GraphQL with its arguments but the account, and what is selected. */
  readonly field: string;
  readonly given: string;
  readonly selected: string;
  /** SELECT of the objects that the answer lists, in their order; \`$1\` is the account. */
  readonly sql: string;
}

const zone = `AT TIME ZONE 'America/Sao_Paulo'`;
const won = `count(*) FILTER (WHERE status = 'won')`;
const lost = `count(*) FILTER (WHERE status = 'lost')`;
const amount = 'sum(total_deal_products_amount_in_cents)';
const ms = `CASE WHEN coalesce(won_at, lost_at) >= created_at
  THEN round(date_part('epoch', coalesce(won_at, lost_at) - created_at) * 1000) END`;

const summaries: readonly Summary[] = [
  {
    name: 'summary by month',
    field: 'deals_summary',
    given: 'group_by: [MONTH], on: won_at',
    selected: 'month count sum_in_cents average_in_cents',
    sql: `SELECT to_char(month, 'YYYY-MM') AS month, count, sum AS sum_in_cents, round(sum / count) AS average_in_cents
      FROM (SELECT date_trunc('month', won_at ${zone}) AS month, count(*), ${amount} AS sum
        FROM deals WHERE account_id = $1 AND won_at IS NOT NULL GROUP BY 1) AS g ORDER BY g.month`,
  },
  {
    name: 'summary by filled days',
    field: 'deals_summary',
    given: 'group_by: [DAY], on: closed_at, fill: true, from: "2023-01-01", to: "2025-12-31"',
    selected: 'day count won_rate',
    sql: `SELECT to_char(day, 'YYYY-MM-DD') AS day, coalesce(count, 0) AS count, won::float8 / nullif(won + lost, 0) AS won_rate
      FROM generate_series(timestamp '2023-01-01', '2025-12-31', '1 day') AS day LEFT JOIN (
        SELECT date_trunc('day', coalesce(won_at, lost_at) ${zone}) AS day, count(*), ${won} AS won, ${lost} AS lost
        FROM deals WHERE account_id = $1 AND coalesce(won_at, lost_at) ${zone} >= '2023-01-01'
          AND coalesce(won_at, lost_at) ${zone} < '2026-01-01' GROUP BY 1) AS g USING (day) ORDER BY 1`,
  },
  {
    name: 'summary of best owners',
    field: 'deals_summary',
    given: 'group_by: [OWNER], sort: sum_in_cents, limit: 5',
    selected: 'owner_id owner_name is_rest count sum_in_cents won_rate',
    sql: `WITH g AS (SELECT user_id AS owner_id, count(*), ${amount} AS sum, ${won} AS won, ${lost} AS lost
        FROM deals AS d LEFT JOIN deal_assignees AS a ON a.account_id = $1 AND a.deal_id = d.id
        WHERE d.account_id = $1 GROUP BY 1
      ), placed AS (SELECT *, row_number() OVER (ORDER BY sum DESC, owner_id) AS place FROM g)
      SELECT owner_id, full_name AS owner_name, false AS is_rest, count, sum AS sum_in_cents, won::float8 / nullif(won + lost, 0) AS won_rate
      FROM (SELECT * FROM placed WHERE place <= 5 ORDER BY place) AS p LEFT JOIN users AS u ON u.account_id = $1 AND u.id = owner_id
      UNION ALL SELECT null, null, true, sum(count), sum(sum), sum(won)::float8 / nullif(sum(won) + sum(lost), 0)
        FROM placed WHERE place > 5`,
  },
  {
    name: 'summary by label',
    field: 'deals_summary',
    given: 'group_by: [LABEL]',
    selected: 'label count sum_in_cents',
    sql: `SELECT label, count(*), ${amount} AS sum_in_cents FROM deals AS d
      JOIN contacts AS c ON c.account_id = $1 AND c.id = d.contact_id LEFT JOIN LATERAL unnest(c.label_list) AS label ON true
      WHERE d.account_id = $1 GROUP BY 1 ORDER BY label COLLATE "C"`,
  },
  {
    name: 'summary by product',
    field: 'deals_summary',
    given: 'group_by: [PRODUCT]',
    selected: 'product_id product_name count sum_in_cents units',
    sql: `SELECT product_id, name AS product_name, count, sum_in_cents, units FROM (
        SELECT product_id, count(*), sum(amount) AS sum_in_cents, sum(units) AS units FROM deals AS d LEFT JOIN (
          SELECT deal_id, product_id, sum(total_amount_in_cents) AS amount, sum(quantity) AS units
          FROM deal_products WHERE account_id = $1 GROUP BY 1, 2) AS s ON s.deal_id = d.id
        WHERE d.account_id = $1 GROUP BY 1) AS g
      LEFT JOIN products AS p ON p.account_id = $1 AND p.id = product_id ORDER BY 1`,
  },
  {
    name: 'summary of days to close',
    field: 'deals_summary',
    given: 'group_by: [QUARTER, STATUS]',
    selected: 'quarter status average_days_to_close median_days_to_close',
    sql: `SELECT to_char(quarter, 'YYYY-"Q"Q') AS quarter, status, average / 86400000 AS average_days_to_close, median / 86400000 AS median_days_to_close
      FROM (SELECT date_trunc('quarter', created_at ${zone}) AS quarter, status, sum(${ms}) / nullif(count(${ms}), 0) AS average,
          percentile_cont(0.5) WITHIN GROUP (ORDER BY ${ms}) AS median
        FROM deals WHERE account_id = $1 GROUP BY 1, 2) AS g
      ORDER BY g.quarter, array_position(ARRAY['open', 'won', 'lost'], status::text)`,
  },
  {
    name: 'summary of contacts by label',
    field: 'summary',
    given: 'of: CONTACTS, by: ["label_list"]',
    selected: 'keys { value } count',
    sql: `SELECT json_build_array(json_build_object('value', label)) AS keys, count(*) FROM contacts AS c
      LEFT JOIN LATERAL unnest(label_list) AS label ON true WHERE account_id = $1 GROUP BY label ORDER BY label COLLATE "C"`,
  },
  {
    name: 'summary of open deals by stage and its customers',
    field: 'summary',
    given: 'of: DEALS, query: {status_eq: "open"}, by: ["stage_id"]',
    selected:
      'keys { value label } count sum(of: "total_deal_products_amount_in_cents") distinct(of: "contact_id")',
    sql: `SELECT json_build_array(json_build_object('value', s.id, 'label', s.name)) AS keys, count, sum, "distinct" FROM (
        SELECT stage_id, count(*), ${amount} AS sum, count(DISTINCT contact_id) AS "distinct" FROM deals
        WHERE account_id = $1 AND status = 'open' GROUP BY 1) AS g
      JOIN stages AS s ON s.account_id = $1 AND s.id = stage_id ORDER BY s.position`,
  },
  {
    name: 'summary of revenue by product and month',
    field: 'summary',
    given:
      'of: DEAL_PRODUCTS, by: ["product_name", "deal_won_at.month"], from: "2024-01-01", to: "2024-12-31"',
    selected: 'keys { label } count sum(of: "total_amount_in_cents")',
    sql: `SELECT json_build_array(json_build_object('label', product), json_build_object('label', to_char(month, 'YYYY-MM'))) AS keys, count, sum
      FROM (SELECT nullif(product_name, '') AS product, date_trunc('month', won_at ${zone}) AS month, count(*), sum(total_amount_in_cents) AS sum
        FROM deal_products AS p JOIN deals AS d ON d.account_id = $1 AND d.id = p.deal_id
        WHERE p.account_id = $1 AND won_at ${zone} >= '2024-01-01' AND won_at ${zone} < '2025-01-01' GROUP BY 1, 2) AS g
      ORDER BY product COLLATE "C", month`,
  },
  {
    name: 'summary of best customers',
    field: 'summary',
    given:
      'of: DEALS, by: ["contact_id"], on: "won_at", from: "2024-04-01", to: "2024-06-30", sort: "sum(total_deal_products_amount_in_cents)", limit: 10',
    selected: 'keys { value label } is_rest count sum(of: "total_deal_products_amount_in_cents")',
    sql: `WITH g AS (SELECT contact_id, count(*), ${amount} AS sum FROM deals
        WHERE account_id = $1 AND won_at ${zone} >= '2024-04-01' AND won_at ${zone} < '2024-07-01' GROUP BY 1
      ), placed AS (SELECT *, row_number() OVER (ORDER BY sum DESC, contact_id) AS place FROM g)
      SELECT json_build_array(json_build_object('value', contact_id, 'label', full_name)) AS keys, false AS is_rest, count, sum
      FROM (SELECT * FROM placed WHERE place <= 10 ORDER BY place) AS p JOIN contacts AS c ON c.account_id = $1 AND c.id = contact_id
      UNION ALL SELECT json_build_array(json_build_object('value', null, 'label', null)), true, sum(count), sum(sum) FROM placed WHERE place > 10`,
  },
  {
    name: 'summary of deals by what was sold',
    field: 'summary',
    given: 'of: DEALS, by: ["deal_products_product_id"]',
    selected: 'keys { value } count sum(of: "total_deal_products_amount_in_cents")',
    sql: `SELECT json_build_array(json_build_object('value', product_id)) AS keys, count(*), sum(amount) FROM (
        SELECT DISTINCT d.id, product_id, total_deal_products_amount_in_cents AS amount FROM deals AS d
        LEFT JOIN deal_products AS p ON p.account_id = $1 AND p.deal_id = d.id WHERE d.account_id = $1) AS s
      GROUP BY product_id ORDER BY product_id`,
  },
  {
    name: 'summary of events by kind and week',
    field: 'summary',
    given: 'of: EVENTS, by: ["created_at.week", "kind"], from: "2024-01-01", to: "2024-03-31"',
    selected: 'keys { label } count distinct(of: "deal_id")',
    sql: `SELECT json_build_array(json_build_object('label', to_char(week, 'IYYY-"W"IW')), json_build_object('label', kind)) AS keys, count, "distinct"
      FROM (SELECT date_trunc('week', created_at ${zone}) AS week, kind, count(*), count(DISTINCT deal_id) AS "distinct" FROM events
        WHERE account_id = $1 AND created_at ${zone} >= '2024-01-01' AND created_at ${zone} < '2024-04-01' GROUP BY 1, 2) AS g
      ORDER BY week, kind COLLATE "C"`,
  },
  {
    name: 'pipeline funnel',
    field: 'pipeline_funnel',
    given: `pipeline_id: ${large}, from: "2024-01-01", to: "2024-03-31"`,
    selected: 'stage_id reached went_on won lost median_days',
    // For deals that were never reopened, as those here.
    sql: `WITH moves AS (
        SELECT deal_id, e.id, kind, e.created_at, lead(e.created_at) OVER (PARTITION BY deal_id ORDER BY e.id) AS until,
          (e.additional_attributes ->> CASE kind WHEN 'deal_stage_change' THEN 'new_stage_id' ELSE 'stage_id' END)::bigint AS stage_id
        FROM deals AS d JOIN events AS e ON e.account_id = $1 AND e.deal_id = d.id
        WHERE d.account_id = $1 AND d.created_at ${zone} >= '2024-01-01' AND d.created_at ${zone} < '2024-04-01'
          AND kind IN ('deal_opened', 'deal_stage_change', 'deal_won', 'deal_lost')
      ), visits AS (
        SELECT deal_id, stage_id, position, bool_or(kind = 'deal_won') AS won, bool_or(kind = 'deal_lost') AS lost,
          CASE WHEN NOT bool_or(until IS NULL AND kind NOT IN ('deal_won', 'deal_lost')) THEN
            sum(date_part('epoch', until - m.created_at)) / 86400 END AS days
        FROM moves AS m JOIN stages AS s ON s.account_id = $1 AND s.id = m.stage_id GROUP BY 1, 2, 3
      ), reached AS (
        SELECT furthest, count(*) AS deals FROM (SELECT max(position) AS furthest FROM visits GROUP BY deal_id) AS f GROUP BY 1
      )
      SELECT s.id AS stage_id, (SELECT coalesce(sum(deals), 0) FROM reached WHERE furthest >= s.position) AS reached,
        (SELECT coalesce(sum(deals), 0) FROM reached WHERE furthest > s.position) AS went_on,
        count(*) FILTER (WHERE won) AS won, count(*) FILTER (WHERE lost) AS lost,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY days) AS median_days
      FROM stages AS s LEFT JOIN visits ON visits.stage_id = s.id
      WHERE s.account_id = $1 AND s.pipeline_id = ${large} GROUP BY s.id, s.position ORDER BY s.position`,
  },
];

export const summaryOperations: readonly Operation[] = summaries.map(
  ({ name, field, given, selected, sql }) => ({
    name,
    kind: 'read',
    status: 200,
    connections: 2,
    account: large,
    prepare: addLargeAccount,
    request: () => graphql(`{ ${field}(account_id: ${large}, ${given}) { ${selected} } }`, {}),
    byHand: {
      sql: `SELECT json_build_object('data', json_build_object('${field}', coalesce(json_agg(row_to_json(one)), '[]')))::text FROM (${sql}) AS one`,
    },
  }),
);
