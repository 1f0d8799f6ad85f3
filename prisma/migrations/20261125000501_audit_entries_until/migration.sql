-- What is there becomes the first part of the history, up to the end of next month: see the migrations
-- that follow.
ALTER TABLE "audit_entries" DROP CONSTRAINT "audit_entries_pkey";
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_pkey" PRIMARY KEY USING INDEX "audit_entries_month_key";
DO $$
BEGIN
  EXECUTE format('ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_until" CHECK ("created_at" < %L) NOT VALID',
    date_trunc('month', now(), 'UTC') + interval '2 months');
END $$;
