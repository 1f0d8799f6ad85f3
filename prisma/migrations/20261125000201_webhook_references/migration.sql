-- A database that spreads accounts over several servers keeps their rows where the account's others are.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      PERFORM create_distributed_table('webhooks', 'account_id', colocate_with => 'contacts');
      PERFORM create_distributed_table('webhook_deliveries', 'account_id', colocate_with => 'contacts');
    END IF;
  END IF;
END $$;
ALTER TABLE "webhooks"
  ADD CONSTRAINT "webhooks_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT,
  ADD CONSTRAINT "webhooks_account_id_user_id_fkey" FOREIGN KEY ("account_id", "user_id") REFERENCES "users"("account_id", "id");
ALTER TABLE "webhook_deliveries"
  ADD CONSTRAINT "webhook_deliveries_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT,
  ADD CONSTRAINT "webhook_deliveries_account_id_webhook_id_fkey" FOREIGN KEY ("account_id", "webhook_id") REFERENCES "webhooks"("account_id", "id") ON DELETE CASCADE;
