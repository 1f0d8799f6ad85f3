CREATE INDEX CONCURRENTLY "contacts_other_mailbox_key_idx" ON "contacts" ("account_id", "other_mailbox_key", "id") WHERE "other_mailbox_key" IS NOT NULL;
