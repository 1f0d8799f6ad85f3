-- A database that spreads accounts over several servers has a copy of it on each.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      PERFORM create_reference_table('sign_in_codes');
    END IF;
  END IF;
END $$;
ALTER TABLE "sign_in_codes"
  ADD CONSTRAINT "sign_in_codes_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT,
  ADD CONSTRAINT "sign_in_codes_account_id_user_id_fkey" FOREIGN KEY ("account_id", "user_id") REFERENCES "users"("account_id", "id") ON DELETE CASCADE;
