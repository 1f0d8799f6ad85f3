-- One moment for everything that a transaction writes: the clock at its first write, after whatever it
-- waited for until then. `crm.moment` holds it until the transaction ends. Milliseconds, as columns
-- and answers have them, so that what is rounded and what is not are never a fraction apart.
CREATE OR REPLACE FUNCTION "moment"() RETURNS timestamptz LANGUAGE sql AS $$
  SELECT coalesce(
    nullif(current_setting('crm.moment', true), ''),
    set_config('crm.moment', date_trunc('milliseconds', clock_timestamp())::text, true)
  )::timestamptz
$$;

-- Citus writes with no function that may change within a statement.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      ALTER FUNCTION moment() STABLE;
    END IF;
  END IF;
END $$;
