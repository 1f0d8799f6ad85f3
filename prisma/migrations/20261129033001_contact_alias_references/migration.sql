-- A table that came later is not distributed over a cluster yet, and may refer to those that are only then.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      PERFORM create_distributed_table('contact_aliases', 'account_id', colocate_with => 'contacts');
    END IF;
  END IF;
END $$;

-- AddForeignKey
ALTER TABLE "contact_aliases" ADD CONSTRAINT "contact_aliases_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "contact_aliases" ADD CONSTRAINT "contact_aliases_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contacts"("account_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
