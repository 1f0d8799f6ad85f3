-- The audit trail by months, so that a month that is no longer kept is dropped and not deleted. Nothing is
-- copied: the table that was there is the part of all that was written, up to the end of next month.
ALTER TABLE "audit_entries" RENAME TO "audit_entries_first";
ALTER INDEX "audit_entries_pkey" RENAME TO "audit_entries_first_pkey";
ALTER INDEX "audit_entries_account_id_record_type_record_id_idx" RENAME TO "audit_entries_first_record_idx";
ALTER INDEX "audit_entries_change_order_idx" RENAME TO "audit_entries_first_change_order_idx";
ALTER TABLE "audit_entries_first" RENAME CONSTRAINT "audit_entries_account_id_fkey" TO "audit_entries_first_account_id_fkey";

CREATE TABLE "audit_entries" (LIKE "audit_entries_first" INCLUDING DEFAULTS INCLUDING STORAGE)
  PARTITION BY RANGE ("created_at");
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("account_id", "id", "created_at");
CREATE INDEX "audit_entries_account_id_record_type_record_id_idx" ON "audit_entries"("account_id", "record_type", "record_id");
CREATE INDEX "audit_entries_change_order_idx" ON "audit_entries"("account_id", "change_order", "id");
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_account_id_fkey"
  FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT;
ALTER SEQUENCE "audit_entries_id_seq" OWNED BY "audit_entries"."id";

DO $$
DECLARE
  until timestamptz := substring(pg_get_constraintdef(oid) FROM '''(.*)''') FROM pg_constraint
    WHERE conrelid = 'audit_entries_first'::regclass AND conname = 'audit_entries_until';
BEGIN
  EXECUTE format('ALTER TABLE "audit_entries" ATTACH PARTITION "audit_entries_first" FOR VALUES FROM (MINVALUE) TO (%L)', until);
END $$;
ALTER TABLE "audit_entries_first" DROP CONSTRAINT "audit_entries_until";
-- For what nobody has made a month for.
CREATE TABLE "audit_entries_other" PARTITION OF "audit_entries" DEFAULT;
