CREATE INDEX CONCURRENTLY "contacts_mailbox_key_idx" ON "contacts" ("account_id", "mailbox_key", "id") WHERE "mailbox_key" IS NOT NULL;
