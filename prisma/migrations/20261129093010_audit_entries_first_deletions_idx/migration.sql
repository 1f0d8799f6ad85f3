-- Removals, of which there are few among all entries: of the months that were there before months were apart.
-- needs table: audit_entries_first
CREATE INDEX CONCURRENTLY "audit_entries_first_deletions_idx" ON "audit_entries_first" ("account_id", "record_type", "change_order", "id")
  WHERE "action" LIKE '%.delete';
