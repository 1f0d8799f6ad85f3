-- With the keys of two words of the name, one of which two spellings of it have in common.
CREATE INDEX CONCURRENTLY "contacts_colleague_key_idx" ON "contacts" ("account_id", "colleague_key", "id")
  INCLUDE ("first_key", "last_key") WHERE "colleague_key" <> 0;
