/** Dashboards of an account of 300,000 deals, and the same answers by hand-written SQL. */

import { addLargeAccount, large } from './large_account.ts';
import { graphql, type Operation } from './operation.ts';
import { amount, questions, type Summary, zone } from './questions.ts';

const won = `count(*) FILTER (WHERE status = 'won')`;
const lost = `count(*) FILTER (WHERE status = 'lost')`;
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

export const summaryOperations: readonly Operation[] = [...summaries, ...questions].map(
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
