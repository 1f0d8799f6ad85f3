-- The deals of a stage or pipeline, of one status or all, in order and counted without a look at
-- their rows. To add these indexes to a large table in use, create them beforehand with CREATE
-- INDEX CONCURRENTLY and the names they have here. They do not show in schema.prisma, which has no
-- words for columns that are only included.
CREATE INDEX IF NOT EXISTS "deals_by_stage_idx" ON "deals" ("account_id", "stage_id", "id") INCLUDE ("status") WHERE "account_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "deals_by_pipeline_idx" ON "deals" ("account_id", "pipeline_id", "id") INCLUDE ("status") WHERE "account_id" IS NOT NULL;
DROP INDEX "deals_account_id_stage_id_idx";
DROP INDEX "deals_account_id_pipeline_id_idx";
