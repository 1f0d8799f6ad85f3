DROP INDEX CONCURRENTLY IF EXISTS "contacts_account_id_phone_old_key";
