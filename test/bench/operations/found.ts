/** Searches of twenty records a page. */

/**
 * What matches is looked for once, for the count and the page alike: faster here than twice, even
 * of what an index decides, since the rows themselves are looked at.
 */
export const found = (table: string, filter: string) => `WITH found AS MATERIALIZED (
    SELECT count(*) AS n, array_agg(x.id) AS ids FROM ${table} x WHERE x.account_id = $1 AND ${filter}
  ), page AS (
    SELECT x.* FROM ${table} x WHERE x.account_id = $1
      AND x.id = ANY (ARRAY(SELECT unnest(ids) AS id FROM found ORDER BY id LIMIT 20))
  )`;
export const search = (object: string, table: string, filter: string) => `${found(table, filter)}
  SELECT json_build_object('data', (SELECT coalesce(json_agg(${object}) ORDER BY x.id), '[]') FROM page x),
    'pagination', json_build_object('page', 1, 'items', least(20, n), 'count', n, 'pages', greatest(1, (n + 19) / 20),
      'from', least(1, n), 'last', greatest(1, (n + 19) / 20), 'to', least(20, n), 'prev', NULL,
      'next', CASE WHEN n > 20 THEN 2 END))::text FROM found`;
