CREATE INDEX CONCURRENTLY "contacts_end_key_idx" ON "contacts" ("account_id", "end_key", "id") WHERE "end_key" IS NOT NULL;
