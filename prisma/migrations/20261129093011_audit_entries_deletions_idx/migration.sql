-- Removals of all months; those that are still to come get the index with their table.
CREATE INDEX "audit_entries_deletions_idx" ON ONLY "audit_entries" ("account_id", "record_type", "change_order", "id")
  WHERE "action" LIKE '%.delete';
DO $$
DECLARE
  month regclass;
BEGIN
  FOR month IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'audit_entries'::regclass LOOP
    IF to_regclass(month || '_deletions_idx') IS NULL THEN
      EXECUTE format('CREATE INDEX %I ON %s ("account_id", "record_type", "change_order", "id") WHERE "action" LIKE ''%%.delete''', month || '_deletions_idx', month);
    END IF;
    EXECUTE format('ALTER INDEX "audit_entries_deletions_idx" ATTACH PARTITION %I', month || '_deletions_idx');
  END LOOP;
END $$;
