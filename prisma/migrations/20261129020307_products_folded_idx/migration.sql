-- needs: pg_trgm, btree_gin
CREATE INDEX CONCURRENTLY "products_folded_idx" ON "products" USING gin ("folded" gin_trgm_ops, "account_id") WITH (gin_pending_list_limit = 512)
  WHERE "account_id" IS NOT NULL;
