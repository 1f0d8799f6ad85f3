-- When the values of an entry were erased; nothing else tells a value that was taken out from one that was null.
ALTER TABLE "audit_entries" ADD COLUMN "erased_at" TIMESTAMPTZ(3);
