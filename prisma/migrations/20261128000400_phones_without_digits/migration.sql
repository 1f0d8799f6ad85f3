-- A phone without any digit (N/A, -) names nobody: several contacts may have it. This takes the
-- place of contacts_account_id_phone_key; `identifies` in src/resources/contacts/phone.ts has the
-- same condition.
CREATE UNIQUE INDEX CONCURRENTLY "contacts_account_id_phone_digits_key" ON "contacts" ("account_id", "phone")
  WHERE "phone" ~ '[0-9\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59\uff10-\uff19]';
