-- The version before knows by the name which field is taken.
ALTER INDEX "contacts_account_id_phone_key" RENAME TO "contacts_account_id_phone_old_key";
ALTER INDEX "contacts_account_id_phone_digits_key" RENAME TO "contacts_account_id_phone_key";
