-- A database that spreads accounts over several servers keeps an account's rows on one of them. These tables were made
-- after others had been distributed, and were the coordinator's own until `crm distribute` was run again.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      IF NOT EXISTS (SELECT FROM citus_tables WHERE table_name = 'signing_secrets'::regclass AND citus_table_type = 'reference') THEN
        PERFORM create_reference_table('signing_secrets');
      END IF;
      IF NOT EXISTS (SELECT FROM citus_tables WHERE table_name = 'saved_views'::regclass AND citus_table_type = 'distributed') THEN
        PERFORM create_distributed_table('saved_views', 'account_id', colocate_with => 'contacts');
      END IF;
      IF NOT EXISTS (SELECT FROM citus_tables WHERE table_name = 'web_push_subscriptions'::regclass AND citus_table_type = 'distributed') THEN
        PERFORM create_distributed_table('web_push_subscriptions', 'account_id', colocate_with => 'contacts');
      END IF;
    END IF;
  END IF;
END $$;
