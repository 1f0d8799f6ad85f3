-- By this the version before finds contacts. The next one drops it.
CREATE INDEX CONCURRENTLY "contacts_account_id_phone_text_idx" ON "contacts" ("account_id", (NULLIF("phone", '')));
