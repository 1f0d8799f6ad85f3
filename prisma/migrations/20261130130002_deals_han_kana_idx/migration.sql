-- needs: btree_gin
CREATE INDEX CONCURRENTLY "deals_han_kana_1_idx" ON "deals" USING gin (han_kana_1("folded"), "account_id") WITH (gin_pending_list_limit = 512)
  WHERE "folded" ~ '[\u3040-\u9fff\U00020000-\U0003ffff]';
