import { raw, type Sql, sql } from '../../db/sql/sql.ts';

const closings = raw(`('deal_won', 'deal_lost')`);

/**
 * The funnel in one statement. Which stage an event names is text in its JSON: it is read once for each
 * event, and stages are found by their ids as text.
 *
 * A deal's way is the list of its events that name a stage. It stays at one from each of them to the
 * next while it is open: since it was reopened or created, unless what comes first after its creation
 * is that it is reopened, for then it was created as won or lost. What became of it in the end belongs
 * to the stage of its last closing.
 * @param where conditions on the deals, as `r`
 * @returns SQL of one row: `stages`, the JSON of a list in their order; none without the pipeline
 */
export function funnelStatement(accountId: number, pipelineId: number, where: Sql): Sql {
  return sql`WITH steps AS MATERIALIZED (
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
    ), ways AS (
      SELECT *, lead(since) OVER until_now AS until,
        max(id) FILTER (WHERE kind IN ${closings}) OVER until_now AS closed,
        max(id) FILTER (WHERE kind = 'deal_reopened') OVER until_now AS reopened,
        min(id) FILTER (WHERE kind IN ${closings}) OVER always AS first_closed,
        max(id) FILTER (WHERE kind IN ${closings}) OVER always AS last_closed,
        min(id) FILTER (WHERE kind = 'deal_reopened') OVER always AS first_reopened
      FROM moves
      WINDOW always AS (PARTITION BY deal_id),
        until_now AS (PARTITION BY deal_id ORDER BY id ROWS UNBOUNDED PRECEDING)
    ), stays AS (
      SELECT *, CASE
          WHEN closed IS NOT NULL OR reopened IS NOT NULL THEN coalesce(reopened > closed, closed IS NULL)
          WHEN first_closed IS NULL AND first_reopened IS NULL THEN status = 'open'
          ELSE coalesce(first_closed < first_reopened, first_reopened IS NULL)
        END AS is_open,
        status <> 'open' AND (id = last_closed OR kind = 'deal_opened' AND last_closed IS NULL) AS is_end
      FROM ways
    ), visits AS (
      SELECT deal_id, stage_id, position, min(id) AS first, max(id) AS last,
        bool_or(is_end AND status = 'won') AS won, bool_or(is_end AND status = 'lost') AS lost,
        CASE WHEN NOT bool_or(is_open AND until IS NULL) THEN
          sum(greatest(date_part('epoch', until - since), 0)) FILTER (WHERE is_open) / 86400 END AS days
      FROM stays WHERE stage_id IS NOT NULL GROUP BY deal_id, stage_id, position
    ), seen AS (
      SELECT *, max(last) OVER (
          PARTITION BY deal_id ORDER BY position DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) > first AS went_on
      FROM visits
    ), figures AS (
      SELECT stage_id, count(*) AS reached, count(*) FILTER (WHERE went_on) AS went_on,
        count(*) FILTER (WHERE won) AS won, count(*) FILTER (WHERE lost) AS lost,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY days) AS median_days
      FROM seen GROUP BY stage_id
    )
    SELECT (
      SELECT coalesce(json_agg(json_build_object('stage_id', steps.id, 'stage_name', steps.name,
        'reached', coalesce(reached, 0), 'went_on', coalesce(went_on, 0), 'won', coalesce(won, 0),
        'lost', coalesce(lost, 0), 'median_days', median_days) ORDER BY position), '[]'::json)
      FROM steps LEFT JOIN figures ON figures.stage_id = steps.id
    )::text AS stages
    FROM pipelines WHERE account_id = ${accountId} AND id = ${pipelineId}`;
}
