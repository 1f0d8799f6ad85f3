-- The activities of a deal: which was done last, and which are to be done.
CREATE INDEX CONCURRENTLY "events_activities_idx" ON "events" ("account_id", "deal_id", "done_at") WHERE "kind" = 'activity';
