-- The changes of an account, in their order.
CREATE INDEX CONCURRENTLY "audit_entries_change_order_idx" ON "audit_entries"("account_id", "change_order", "id");
