-- Searches compare and order texts by code point, whatever the database's own locale. To add
-- these indexes to large tables in use, create each beforehand with CREATE INDEX CONCURRENTLY
-- and the name it has here: what exists already is left as it is. They do not show in
-- schema.prisma, which has no words for collations and expressions.

-- Equality, ranges and sorting.
CREATE INDEX IF NOT EXISTS "contacts_by_email_idx" ON "contacts" ("account_id", "email" COLLATE "C", "id") WHERE "account_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "contacts_by_phone_idx" ON "contacts" ("account_id", "phone" COLLATE "C", "id") WHERE "account_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "deals_by_status_idx" ON "deals" ("account_id", "status" COLLATE "C", "id") WHERE "account_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "products_by_identifier_idx" ON "products" ("account_id", "identifier" COLLATE "C", "id") WHERE "account_id" IS NOT NULL;
CREATE INDEX IF NOT EXISTS "products_by_name_idx" ON "products" ("account_id", "name" COLLATE "C", "id") WHERE "account_id" IS NOT NULL;
DROP INDEX "contacts_account_id_email_id_idx";
DROP INDEX "contacts_account_id_phone_id_idx";
DROP INDEX "deals_account_id_status_idx";
DROP INDEX "products_account_id_identifier_idx";

-- What texts begin and end with, ignoring case.
CREATE INDEX IF NOT EXISTS "contacts_full_name_start_idx" ON "contacts" ("account_id", lower("full_name" COLLATE "unicode_case") COLLATE "C");
CREATE INDEX IF NOT EXISTS "contacts_email_start_idx" ON "contacts" ("account_id", lower("email" COLLATE "unicode_case") COLLATE "C");
CREATE INDEX IF NOT EXISTS "contacts_phone_end_idx" ON "contacts" ("account_id", reverse(lower("phone" COLLATE "unicode_case")) COLLATE "C");
CREATE INDEX IF NOT EXISTS "deals_name_start_idx" ON "deals" ("account_id", lower("name" COLLATE "unicode_case") COLLATE "C");
