-- With what says how common a name is.
CREATE INDEX CONCURRENTLY "contacts_name_key_idx" ON "contacts" ("account_id", "name_key", "id")
  INCLUDE ("first_key", "last_key", "phone_key", "mailbox_key") WHERE "name_key" IS NOT NULL;
