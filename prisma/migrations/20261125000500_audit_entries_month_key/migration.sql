-- The key that the entries have once they are kept by months.
CREATE UNIQUE INDEX CONCURRENTLY "audit_entries_month_key" ON "audit_entries"("account_id", "id", "created_at");
