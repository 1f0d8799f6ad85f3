CREATE INDEX CONCURRENTLY "contacts_start_key_idx" ON "contacts" ("account_id", "start_key", "id") WHERE "start_key" IS NOT NULL;
