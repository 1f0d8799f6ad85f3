-- needs: pg_trgm, btree_gin
CREATE INDEX CONCURRENTLY "contacts_folded_idx" ON "contacts" USING gin ("folded" gin_trgm_ops, "account_id") WITH (gin_pending_list_limit = 512)
  WHERE "account_id" IS NOT NULL;
