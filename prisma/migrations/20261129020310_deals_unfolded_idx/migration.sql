-- Rows that are not folded yet, or by another table: none, but for a while.
CREATE INDEX CONCURRENTLY "deals_unfolded_1_idx" ON "deals" ("account_id", "id") WHERE "folded_by" IS DISTINCT FROM 1;
