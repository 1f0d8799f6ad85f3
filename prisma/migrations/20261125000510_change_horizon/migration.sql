-- Where the order of changes is still open, in the snapshot of the statement that asks: below it every
-- change is there to be read, and none will come. Where Citus spreads accounts over servers, what changes
-- users or the account itself is committed by the coordinator first, and stays prepared on the servers
-- until it tells them: the order is open from the oldest of these on, or of those whose server cannot be asked.
CREATE FUNCTION "change_horizon"() RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  horizon bigint := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
  latest bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
BEGIN
  IF to_regclass('pg_catalog.pg_dist_transaction') IS NULL THEN RETURN horizon; END IF;
  IF NOT EXISTS (SELECT FROM pg_dist_transaction) THEN RETURN horizon; END IF;
  RETURN (
    WITH prepared AS (
      SELECT groupid, success, CASE WHEN success THEN result::jsonb END AS gids
      FROM run_command_on_workers('SELECT coalesce(json_agg(gid), ''[]'') FROM pg_prepared_xacts') AS asked
        JOIN pg_dist_node USING (nodename, nodeport)
    )
    SELECT least(horizon, min(latest - ((latest - known.xmin::text::bigint) & 4294967295)))
    FROM pg_dist_transaction AS known LEFT JOIN prepared USING (groupid)
    WHERE prepared.success IS NOT TRUE OR prepared.gids ? known.gid
  );
END $$;
