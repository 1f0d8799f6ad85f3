CREATE INDEX CONCURRENTLY "contacts_phone_key_idx" ON "contacts" ("account_id", "phone_key", "id") WHERE "phone_key" IS NOT NULL;
