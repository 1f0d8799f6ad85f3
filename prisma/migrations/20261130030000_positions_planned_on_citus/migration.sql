-- Citus plans what counts deals within a piece for values that it knows, and refuses to do so once for all.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      ALTER FUNCTION position_among_pieces(BIGINT, BIGINT, DOUBLE PRECISION, DOUBLE PRECISION[], INTEGER[], DOUBLE PRECISION[])
        RESET plan_cache_mode;
      ALTER FUNCTION rank_among_pieces(BIGINT, BIGINT, BIGINT, DOUBLE PRECISION[], INTEGER[], DOUBLE PRECISION[])
        RESET plan_cache_mode;
    END IF;
  END IF;
END $$;
