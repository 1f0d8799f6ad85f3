-- Contacts without keys: none, but for a while after an upgrade.
CREATE INDEX CONCURRENTLY "contacts_unkeyed_2_idx" ON "contacts" ("account_id", "id") WHERE "colleague_key" IS NULL;
