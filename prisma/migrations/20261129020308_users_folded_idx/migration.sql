-- needs: pg_trgm, btree_gin
CREATE INDEX CONCURRENTLY "users_folded_idx" ON "users" USING gin ("folded" gin_trgm_ops, "account_id") WITH (gin_pending_list_limit = 512)
  WHERE "account_id" IS NOT NULL;
