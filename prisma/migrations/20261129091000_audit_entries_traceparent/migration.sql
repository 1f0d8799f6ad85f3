-- The span that wrote an entry, to which what the change causes is linked.
ALTER TABLE "audit_entries" ADD COLUMN "traceparent" VARCHAR(55);
