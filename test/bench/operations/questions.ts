/** What dashboards ask of `summary`, one of each kind, and the same answers by hand-written SQL. */

export interface Summary {
  readonly name: string;
  /** Root field of GraphQL with its arguments but the account, and what is selected. */
  readonly field: string;
  readonly given: string;
  readonly selected: string;
  /** SELECT of the objects that the answer lists, in their order; \`$1\` is the account. */
  readonly sql: string;
}

export const zone = `AT TIME ZONE 'America/Sao_Paulo'`;
export const amount = 'sum(total_deal_products_amount_in_cents)';

/** SQL of the keys of a group, of which only what charts write is asked for. */
const labels = (...columns: readonly string[]) =>
  `json_build_array(${columns.map((column) => `json_build_object('label', ${column})`).join(', ')}) AS keys`;
/** The same of values. */
const values = (...columns: readonly string[]) =>
  `json_build_array(${columns.map((column) => `json_build_object('value', ${column})`).join(', ')}) AS keys`;
const total = 'total_deal_products_amount_in_cents';

export const questions: readonly Summary[] = [
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
    name: 'summary of contacts by source',
    field: 'summary',
    given: 'of: CONTACTS, by: ["custom_attributes.source"]',
    selected: 'keys { value } count',
    sql: `SELECT ${values('source')}, count(*) FROM (
        SELECT nullif(custom_attributes ->> 'source', '') AS source FROM contacts WHERE account_id = $1) AS c
      GROUP BY source ORDER BY source COLLATE "C"`,
  },
  {
    name: 'summary of people of the same name',
    field: 'summary',
    given: 'of: CONTACTS, by: ["full_name"], sort: "count", limit: 5',
    selected: 'keys { value } is_rest count',
    sql: `WITH g AS (SELECT nullif(full_name, '') AS name, count(*) FROM contacts WHERE account_id = $1 GROUP BY 1
      ), placed AS (SELECT *, row_number() OVER (ORDER BY count DESC, name COLLATE "C") AS place FROM g)
      SELECT ${values('name')}, false AS is_rest, count FROM (SELECT * FROM placed WHERE place <= 5 ORDER BY place) AS p
      UNION ALL SELECT ${values('null')}, true, sum(count) FROM placed WHERE place > 5`,
  },
  {
    name: 'summary of new contacts by filled weeks',
    field: 'summary',
    given: 'of: CONTACTS, by: ["created_at.week"], fill: true',
    selected: 'keys { label } count',
    sql: `WITH g AS (SELECT date_trunc('week', created_at ${zone}) AS week, count(*) FROM contacts WHERE account_id = $1 GROUP BY 1)
      SELECT ${labels(`to_char(week, 'IYYY-"W"IW')`)}, coalesce(count, 0) AS count
      FROM generate_series((SELECT min(week) FROM g), (SELECT max(week) FROM g), '7 days') AS week LEFT JOIN g USING (week) ORDER BY week`,
  },
  {
    name: 'summary of closed deals by filled months and status',
    field: 'summary',
    given:
      'of: DEALS, query: {status_in: ["won", "lost"]}, by: ["closed_at.month", "status"], fill: true',
    selected: `keys { label } count sum(of: "${total}")`,
    sql: `WITH g AS (
        SELECT date_trunc('month', coalesce(won_at, lost_at) ${zone}) AS month, status, count(*), ${amount} AS sum
        FROM deals WHERE account_id = $1 AND status IN ('won', 'lost') GROUP BY 1, 2)
      SELECT ${labels(`to_char(month, 'YYYY-MM')`, 'status')}, coalesce(count, 0) AS count, coalesce(sum, 0) AS sum
      FROM generate_series((SELECT min(month) FROM g), (SELECT max(month) FROM g), '1 month') AS month
        CROSS JOIN (SELECT DISTINCT status FROM g) AS s LEFT JOIN g USING (month, status) ORDER BY month, status COLLATE "C"`,
  },
  {
    name: 'summary of customers and products of each seller',
    field: 'summary',
    given: 'of: DEALS, by: ["users_full_name"]',
    selected:
      'keys { value } count customers: distinct(of: "contact_id") products: distinct(of: "products_id")',
    sql: `WITH d AS (
        SELECT DISTINCT d.id, full_name AS seller, contact_id FROM deals AS d
        LEFT JOIN deal_assignees AS a ON a.account_id = $1 AND a.deal_id = d.id
        LEFT JOIN users AS u ON u.account_id = $1 AND u.id = a.user_id WHERE d.account_id = $1)
      SELECT ${values('seller')}, count, customers, products
      FROM (SELECT seller, count(*), count(DISTINCT contact_id) AS customers FROM d GROUP BY 1) AS g
        JOIN (SELECT seller, count(DISTINCT product_id) AS products FROM d
          LEFT JOIN deal_products AS p ON p.account_id = $1 AND p.deal_id = d.id GROUP BY 1) AS s USING (seller)
      ORDER BY seller COLLATE "C"`,
  },
  {
    name: 'summary of deals by the label of their contact',
    field: 'summary',
    given: 'of: DEALS, by: ["contact_label_list"]',
    selected: `keys { value } count sum(of: "${total}") distinct(of: "contact_id")`,
    sql: `SELECT ${values('label')}, count(*), ${amount} AS sum, count(DISTINCT contact_id) AS "distinct" FROM deals AS d
      JOIN contacts AS c ON c.account_id = $1 AND c.id = d.contact_id LEFT JOIN LATERAL unnest(c.label_list) AS label ON true
      WHERE d.account_id = $1 GROUP BY label ORDER BY label COLLATE "C"`,
  },
  {
    name: 'summary of products by the outcome of their deals',
    field: 'summary',
    given: 'of: PRODUCTS, by: ["deals_status"]',
    selected: 'keys { value } count sum(of: "amount_in_cents") distinct(of: "deals_contact_id")',
    sql: `WITH p AS (SELECT p.id, amount_in_cents, status, contact_id FROM products AS p
        LEFT JOIN deal_products AS s ON s.account_id = $1 AND s.product_id = p.id
        LEFT JOIN deals AS d ON d.account_id = $1 AND d.id = s.deal_id WHERE p.account_id = $1)
      SELECT ${values('status')}, count, sum, "distinct" FROM (
          SELECT status, count(*), sum(amount_in_cents) FROM (SELECT DISTINCT id, amount_in_cents, status FROM p) AS one GROUP BY 1) AS g
        JOIN (SELECT status, count(DISTINCT contact_id) AS "distinct" FROM p GROUP BY 1) AS c USING (status)
      ORDER BY status COLLATE "C"`,
  },
  {
    name: 'summary of sellers by the status of their deals',
    field: 'summary',
    given: 'of: USERS, by: ["deals_status"]',
    selected: 'keys { value } count distinct(of: "deals_id")',
    sql: `SELECT ${values('status')}, count(DISTINCT u.id), count(DISTINCT d.id) AS "distinct" FROM users AS u
      LEFT JOIN deal_assignees AS a ON a.account_id = $1 AND a.user_id = u.id
      LEFT JOIN deals AS d ON d.account_id = $1 AND d.id = a.deal_id
      WHERE u.account_id = $1 GROUP BY status ORDER BY status COLLATE "C"`,
  },
  {
    name: 'summary of moves by the stage of their deal',
    field: 'summary',
    given: 'of: EVENTS, query: {kind_eq: "deal_stage_change"}, by: ["deal_stage_name"]',
    selected: 'keys { value } count distinct(of: "deal_id")',
    sql: `SELECT ${values('s.name')}, count(*), count(DISTINCT deal_id) AS "distinct" FROM events AS e
      LEFT JOIN deals AS d ON d.account_id = $1 AND d.id = e.deal_id LEFT JOIN stages AS s ON s.account_id = $1 AND s.id = d.stage_id
      WHERE e.account_id = $1 AND kind = 'deal_stage_change' GROUP BY s.name, s.position ORDER BY s.position`,
  },
  {
    name: 'summary of revenue by product',
    field: 'summary',
    given: 'of: DEAL_PRODUCTS, by: ["product_id"], sort: "sum(total_amount_in_cents)"',
    selected:
      'keys { value label } count sum(of: "total_amount_in_cents") units: sum(of: "quantity")',
    sql: `SELECT json_build_array(json_build_object('value', product_id, 'label', name)) AS keys, count, sum, units FROM (
        SELECT product_id, count(*), sum(total_amount_in_cents), sum(quantity) AS units FROM deal_products
        WHERE account_id = $1 GROUP BY 1) AS g
      JOIN products AS p ON p.account_id = $1 AND p.id = product_id ORDER BY sum DESC, product_id`,
  },
  {
    name: 'summary of how many customers, sellers and products there are',
    field: 'summary',
    given: 'of: DEALS',
    selected: `count customers: distinct(of: "contact_id") sellers: distinct(of: "users_id") products: distinct(of: "products_id") sum(of: "${total}")`,
    sql: `SELECT count, customers, sellers, products, sum FROM (
        SELECT count(*), count(DISTINCT contact_id) AS customers, ${amount} AS sum FROM deals WHERE account_id = $1) AS d,
      (SELECT count(DISTINCT user_id) AS sellers FROM deals AS d
        JOIN deal_assignees AS a ON a.account_id = $1 AND a.deal_id = d.id WHERE d.account_id = $1) AS a,
      (SELECT count(DISTINCT product_id) AS products FROM deals AS d
        JOIN deal_products AS p ON p.account_id = $1 AND p.deal_id = d.id WHERE d.account_id = $1) AS p`,
  },
  {
    name: 'summary of deals by channel and status',
    field: 'summary',
    given: 'of: DEALS, by: ["custom_attributes.channel", "status"]',
    selected: `keys { value } count average(of: "${total}")`,
    sql: `SELECT ${values('channel', 'status')}, count, round(sum / count) AS average FROM (
        SELECT custom_attributes ->> 'channel' AS channel, status, count(*), ${amount} AS sum FROM deals WHERE account_id = $1 GROUP BY 1, 2) AS g
      ORDER BY channel COLLATE "C", status COLLATE "C"`,
  },
  {
    name: 'summary of the smallest amounts by contact',
    field: 'summary',
    given: `of: DEALS, by: ["contact_full_name"], sort: "average(${total})", ascending: true, limit: 4`,
    selected: `keys { value } is_rest count average(of: "${total}")`,
    sql: `WITH g AS (SELECT full_name AS name, count(*), ${amount} AS sum FROM deals AS d
        JOIN contacts AS c ON c.account_id = $1 AND c.id = d.contact_id WHERE d.account_id = $1 GROUP BY 1
      ), placed AS (SELECT *, row_number() OVER (ORDER BY sum::numeric / count, name COLLATE "C") AS place FROM g)
      SELECT ${values('name')}, false AS is_rest, count, round(sum / count) AS average FROM (SELECT * FROM placed WHERE place <= 4 ORDER BY place) AS p
      UNION ALL SELECT ${values('null')}, true, sum(count), round(sum(sum) / sum(count)) FROM placed WHERE place > 4`,
  },
  {
    name: 'summary of the last deal of each pipeline',
    field: 'summary',
    given: 'of: DEALS, by: ["pipeline_name"]',
    selected: 'keys { value } last: largest(of: "created_at") first: smallest(of: "won_at")',
    sql: `SELECT ${values('name')}, to_char(last AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS last,
        to_char(first AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS first FROM (
        SELECT p.name, max(d.created_at) AS last, min(won_at) AS first FROM deals AS d
        JOIN pipelines AS p ON p.account_id = $1 AND p.id = d.pipeline_id WHERE d.account_id = $1 GROUP BY 1) AS g
      ORDER BY name COLLATE "C"`,
  },
];
