-- What counts deals within a piece was planned anew for each call, because PostgreSQL takes a comparison of
-- ranks it does not know for one that finds a third of the stage. The plan is the same for all: the key's index.
ALTER FUNCTION "position_among_pieces"(BIGINT, BIGINT, DOUBLE PRECISION, DOUBLE PRECISION[], INTEGER[], DOUBLE PRECISION[])
  SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION "rank_among_pieces"(BIGINT, BIGINT, BIGINT, DOUBLE PRECISION[], INTEGER[], DOUBLE PRECISION[])
  SET plan_cache_mode = force_generic_plan;
