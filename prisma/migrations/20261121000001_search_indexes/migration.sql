-- Indexes that searches use. To add them to large tables in use, create each beforehand with
-- CREATE INDEX CONCURRENTLY and the name it has here: what exists already is left as it is.

-- Equality and sorting. Those with a condition that always holds do not show in schema.prisma,
-- which has no words for their collation.
CREATE INDEX IF NOT EXISTS "contacts_account_id_email_id_idx" ON "contacts" ("account_id", "email", "id");
CREATE INDEX IF NOT EXISTS "contacts_account_id_phone_id_idx" ON "contacts" ("account_id", "phone", "id");
CREATE INDEX IF NOT EXISTS "deals_account_id_stage_id_idx" ON "deals" ("account_id", "stage_id");
CREATE INDEX IF NOT EXISTS "contacts_by_full_name_idx" ON "contacts" ("account_id", "full_name" COLLATE "C", "id") WHERE "account_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "deals_by_name_idx" ON "deals" ("account_id", "name" COLLATE "C", "id") WHERE "account_id" IS NOT NULL;

-- Parts of texts and single labels. They need two extensions that ship with PostgreSQL; where
-- these cannot be had, such searches read all rows of the account, and `crm doctor` says so.
DO $$
BEGIN
  BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE EXTENSION IF NOT EXISTS btree_gin;
  EXCEPTION WHEN insufficient_privilege OR undefined_file OR feature_not_supported THEN
    RAISE NOTICE 'pg_trgm or btree_gin cannot be had: %', SQLERRM;
    RETURN;
  END;
  CREATE INDEX IF NOT EXISTS "contacts_text_idx" ON "contacts" USING gin ("account_id", "full_name" COLLATE "unicode_case" gin_trgm_ops, "email" COLLATE "unicode_case" gin_trgm_ops, "phone" COLLATE "unicode_case" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
  CREATE INDEX IF NOT EXISTS "deals_text_idx" ON "deals" USING gin ("account_id", "name" COLLATE "unicode_case" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
  CREATE INDEX IF NOT EXISTS "products_text_idx" ON "products" USING gin ("account_id", "name" COLLATE "unicode_case" gin_trgm_ops, "identifier" COLLATE "unicode_case" gin_trgm_ops, "description" COLLATE "unicode_case" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
  CREATE INDEX IF NOT EXISTS "users_text_idx" ON "users" USING gin ("account_id", "full_name" COLLATE "unicode_case" gin_trgm_ops, "email" COLLATE "unicode_case" gin_trgm_ops)
    WITH (gin_pending_list_limit = 512) WHERE "account_id" IS NOT NULL;
  CREATE INDEX IF NOT EXISTS "contacts_label_list_idx" ON "contacts" USING gin ("account_id", "label_list")
    WHERE "account_id" IS NOT NULL;
END $$;
