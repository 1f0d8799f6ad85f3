-- Contacts without keys: none, but for a while after an upgrade.
CREATE INDEX CONCURRENTLY "contacts_keyless_idx" ON "contacts" ("account_id", "id") WHERE "name_key" IS NULL;
