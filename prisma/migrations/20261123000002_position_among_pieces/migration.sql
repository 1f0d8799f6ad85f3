-- Where a deal of some rank stands in a stage whose order has several pieces, 1 to n. Written out
-- in each statement that shows a position, this costs every stage what only these need.
CREATE FUNCTION "position_among_pieces" (
  "account" BIGINT, "stage" BIGINT, "rank" DOUBLE PRECISION,
  "piece_ranks" DOUBLE PRECISION[], "piece_places" INTEGER[], "piece_steps" DOUBLE PRECISION[]
) RETURNS INTEGER LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  piece CONSTANT INTEGER := width_bucket(rank, piece_ranks);
  first CONSTANT DOUBLE PRECISION := piece_ranks[piece];
  step CONSTANT DOUBLE PRECISION := piece_steps[piece];
BEGIN
  IF step > 0 THEN
    RETURN piece_places[piece] + (rank - first) / step;
  END IF;
  RETURN piece_places[piece] + (
    SELECT count(*) FROM deals AS counted
    WHERE counted.account_id = account AND counted.stage_id = stage
      AND counted.rank >= floor(first)::integer
      AND counted.rank + counted.rank_fraction >= first
      AND (counted.rank, counted.rank_fraction)
        < (floor(position_among_pieces.rank)::integer,
           position_among_pieces.rank - floor(position_among_pieces.rank)));
END $$;
