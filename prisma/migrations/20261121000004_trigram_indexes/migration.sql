-- Trigrams of texts that are folded before: left to itself the extension folds as the database's own
-- locale does, and misses what a search that ignores case the Unicode way would find.
-- Trigrams before the account: PostgreSQL goes through the keys of such an index in their order, so
-- with the account first it decodes the list of all its records for each record that has some of
-- the trigrams. With the account last it looks there for those alone that have them all: 0.7 ms
-- instead of 1.7 for a rare name among 250,000 of an account's contacts. To add these indexes to
-- large tables in use, create each beforehand with CREATE INDEX CONCURRENTLY and the name it has
-- here: what exists already is left as it is.
DO $$
BEGIN
  IF (SELECT count(*) FROM pg_extension WHERE extname IN ('pg_trgm', 'btree_gin')) < 2 THEN
    RETURN;
  END IF;
  CREATE INDEX IF NOT EXISTS "contacts_trigram_idx" ON "contacts" USING gin (lower("full_name" COLLATE "unicode_case") gin_trgm_ops, lower("email" COLLATE "unicode_case") gin_trgm_ops, lower("phone" COLLATE "unicode_case") gin_trgm_ops, "account_id")
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
  CREATE INDEX IF NOT EXISTS "deals_trigram_idx" ON "deals" USING gin (lower("name" COLLATE "unicode_case") gin_trgm_ops, "account_id")
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
  CREATE INDEX IF NOT EXISTS "products_trigram_idx" ON "products" USING gin (lower("name" COLLATE "unicode_case") gin_trgm_ops, lower("identifier" COLLATE "unicode_case") gin_trgm_ops, lower("description" COLLATE "unicode_case") gin_trgm_ops, "account_id")
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
  CREATE INDEX IF NOT EXISTS "users_trigram_idx" ON "users" USING gin (lower("full_name" COLLATE "unicode_case") gin_trgm_ops, lower("email" COLLATE "unicode_case") gin_trgm_ops, "account_id")
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
END $$;
DROP INDEX IF EXISTS "contacts_text_idx", "deals_text_idx", "products_text_idx", "users_text_idx";
