-- Events that are not done and have not been told of, by when they fall due.
CREATE INDEX CONCURRENTLY "events_due_idx" ON "events" ("scheduled_at", "account_id")
  WHERE "done_at" IS NULL AND "scheduled_at" IS NOT NULL AND ("due_at" IS NULL OR "due_at" < "scheduled_at");
