-- Where the order of changes is still open, in the snapshot of the statement that asks: below it every
-- change is there to be read, and none will come. A database that is spread over servers has another one.
CREATE FUNCTION "change_horizon"() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint
$$;
