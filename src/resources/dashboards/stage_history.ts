import { type Sql, sql } from '../../db/sql/sql.ts';

/**
 * Where deals stood in a pipeline, by their events and by where they stand now. Which stage an event names is
 * text in its JSON: it is read once for each event, and stages are found by their ids as text.
 * @param where conditions on the deals, as `r`
 * @returns WITH queries: `steps`, the stages as they are today; `moves`, the events of deals that name a stage,
 *   of this pipeline or another; `reached`, by deal the furthest position at which it ever stood
 */
export const stageHistory = (accountId: number, pipelineId: number, where: Sql): Sql =>
  sql`steps AS MATERIALIZED (
      SELECT id, name, position, id::text AS id_text FROM stages
      WHERE account_id = ${accountId} AND pipeline_id = ${pipelineId}
    ), told AS MATERIALIZED (
      SELECT e.id, e.deal_id, e.kind, e.created_at AS since, r.status,
        e.additional_attributes ->> CASE e.kind WHEN 'deal_stage_change' THEN 'new_stage_id' ELSE 'stage_id' END AS stage
      FROM deals AS r JOIN events AS e ON e.account_id = ${accountId} AND e.deal_id = r.id
      WHERE r.account_id = ${accountId} AND ${where}
        AND e.kind IN ('deal_opened', 'deal_stage_change', 'deal_reopened', 'deal_won', 'deal_lost')
    ), moves AS (
      SELECT told.id, deal_id, kind, since, status, steps.id AS stage_id, position
      FROM told LEFT JOIN steps ON id_text = stage
    ), reached AS (
      SELECT deal_id, status, max(position) AS furthest FROM (
        SELECT deal_id, status, position FROM moves WHERE position IS NOT NULL
        UNION ALL SELECT r.id, r.status, position FROM deals AS r JOIN steps ON steps.id = r.stage_id
          WHERE r.account_id = ${accountId} AND ${where}
      ) AS stood GROUP BY deal_id, status
    )`;
