-- A database that spreads accounts over several servers keeps their rows where the account's others are.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      PERFORM create_distributed_table('erasures', 'account_id', colocate_with => 'contacts');
      PERFORM create_distributed_table('erasure_records', 'account_id', colocate_with => 'contacts');
    END IF;
  END IF;
END $$;
ALTER TABLE "erasures"
  ADD CONSTRAINT "erasures_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT;
ALTER TABLE "erasure_records"
  ADD CONSTRAINT "erasure_records_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT,
  ADD CONSTRAINT "erasure_records_account_id_erasure_id_fkey" FOREIGN KEY ("account_id", "erasure_id") REFERENCES "erasures"("account_id", "id") ON DELETE CASCADE;
