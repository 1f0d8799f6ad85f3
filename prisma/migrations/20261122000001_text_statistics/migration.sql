-- How frequent the parts of texts are. PostgreSQL keeps that of what an index holds, but not of what
-- a partial one does, as those of trigrams are: it took any part of six characters for rare, and
-- looked for what all rows hold as it looks for what few do.
CREATE STATISTICS "contacts_phone_stx" ON lower("phone" COLLATE "unicode_case") FROM "contacts";
CREATE STATISTICS "products_identifier_stx" ON lower("identifier" COLLATE "unicode_case") FROM "products";
CREATE STATISTICS "products_name_stx" ON lower("name" COLLATE "unicode_case") FROM "products";
CREATE STATISTICS "products_description_stx" ON lower("description" COLLATE "unicode_case") FROM "products";
CREATE STATISTICS "users_full_name_stx" ON lower("full_name" COLLATE "unicode_case") FROM "users";
CREATE STATISTICS "users_email_stx" ON lower("email" COLLATE "unicode_case") FROM "users";
-- Of tables that are filled already; those of a new database PostgreSQL analyses as they grow.
DO $$
BEGIN
  IF EXISTS (SELECT FROM "users") THEN
    ANALYZE "contacts", "products", "users";
  END IF;
END $$;
