-- Deals of a stage are ordered by their rank, and no longer hold the position that it comes to: who
-- moves one of many would have to write all behind it. What stands in the tables is right as it is.
-- To add the index to a large table in use, add the column beforehand, then create the index with
-- CREATE UNIQUE INDEX CONCURRENTLY and the name it has here, on "position" in place of "rank": what
-- exists already is left as it is.
ALTER TABLE "deals" ADD COLUMN IF NOT EXISTS "rank_fraction" DOUBLE PRECISION NOT NULL DEFAULT 0;
ALTER TABLE "deals" DROP CONSTRAINT "deals_position_check";
ALTER TABLE "deals" RENAME COLUMN "position" TO "rank";
ALTER TABLE "deals" ADD CONSTRAINT "deals_rank_fraction_check" CHECK ("rank_fraction" >= 0 AND "rank_fraction" < 1);

-- Ranks are written many at a time: unique when the transaction ends, not after each row.
CREATE UNIQUE INDEX IF NOT EXISTS "deals_account_id_stage_id_rank_rank_fraction_key"
  ON "deals" ("account_id", "stage_id", "rank", "rank_fraction");
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_stage_id_rank_rank_fraction_key"
  UNIQUE USING INDEX "deals_account_id_stage_id_rank_rank_fraction_key" DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE "deals" DROP CONSTRAINT "deals_account_id_stage_id_position_key";

ALTER TABLE "stages"
  ADD COLUMN "ranks_ahead" INTEGER NOT NULL DEFAULT 0,
  ADD COLUMN "piece_ranks" DOUBLE PRECISION[],
  ADD COLUMN "piece_places" INTEGER[],
  ADD COLUMN "piece_steps" DOUBLE PRECISION[],
  ADD CONSTRAINT "stages_pieces_check" CHECK (
    num_nulls("piece_ranks", "piece_places", "piece_steps") IN (0, 3)
    AND cardinality("piece_ranks") = cardinality("piece_places")
    AND cardinality("piece_ranks") = cardinality("piece_steps"));
-- Read far more often than written, and of numbers that hardly compress.
ALTER TABLE "stages"
  ALTER COLUMN "piece_ranks" SET STORAGE EXTERNAL,
  ALTER COLUMN "piece_places" SET STORAGE EXTERNAL,
  ALTER COLUMN "piece_steps" SET STORAGE EXTERNAL;
