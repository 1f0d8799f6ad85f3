-- What bringing a removed record back takes besides what it was.
ALTER TABLE "audit_entries" ADD COLUMN "remains" JSON;
