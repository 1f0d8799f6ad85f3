-- The rank of the deal at some position of a stage whose order has several pieces: position_among_pieces
-- the other way round. Before the first position it is less than any rank; the last piece has no end.
CREATE FUNCTION "rank_among_pieces" (
  "account" BIGINT, "stage" BIGINT, "position" BIGINT,
  "piece_ranks" DOUBLE PRECISION[], "piece_places" INTEGER[], "piece_steps" DOUBLE PRECISION[]
) RETURNS DOUBLE PRECISION LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  piece CONSTANT INTEGER := width_bucket("position"::double precision, piece_places::double precision[]);
  first CONSTANT DOUBLE PRECISION := piece_ranks[piece];
  beyond CONSTANT BIGINT := "position" - piece_places[piece];
BEGIN
  IF piece = 0 THEN
    RETURN '-Infinity';
  END IF;
  IF piece_steps[piece] > 0 THEN
    RETURN first + beyond * piece_steps[piece];
  END IF;
  RETURN (
    SELECT counted.rank + counted.rank_fraction FROM deals AS counted
    WHERE counted.account_id = account AND counted.stage_id = stage
      AND counted.rank >= floor(first)::integer
      AND counted.rank + counted.rank_fraction >= first
    ORDER BY counted.rank, counted.rank_fraction OFFSET beyond LIMIT 1);
END $$;
