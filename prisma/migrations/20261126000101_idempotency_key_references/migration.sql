-- A database that spreads accounts over several servers keeps their rows where the account's others are.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      PERFORM create_distributed_table('idempotency_keys', 'account_id', colocate_with => 'contacts');
    END IF;
  END IF;
END $$;
ALTER TABLE "idempotency_keys"
  ADD CONSTRAINT "idempotency_keys_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT;
