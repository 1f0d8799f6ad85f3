-- Where a change stands among all others, so that they can be told one after the other while
-- transactions overlap: the latest transaction that was over when the entry was written, or its own if
-- that one is later. Every row of a transaction that is not over has at least the number of the oldest
-- such, so what is below that is complete. Who changes a record after another does so once the other's
-- transaction is over, and gets no lower a number; among equal ones the id tells. PL/pgSQL takes a new
-- snapshot for this, where the statement's own may be older than what it waited for.
CREATE FUNCTION "change_order"() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN greatest(pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1, pg_current_xact_id()::text::bigint);
END $$;
-- What was written before has the order of its ids.
ALTER TABLE "audit_entries" ADD COLUMN "change_order" BIGINT NOT NULL DEFAULT 0;
ALTER TABLE "audit_entries" ALTER COLUMN "change_order" SET DEFAULT "change_order"();
