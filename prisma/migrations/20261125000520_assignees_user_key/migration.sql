-- Whoever removes a user ends their assignments and tells so. One that comes in between, as it can where
-- another server keeps the deal, must not go untold with the user: the removal is done again.
ALTER TABLE "deal_assignees"
  DROP CONSTRAINT "deal_assignees_account_id_user_id_fkey",
  ADD CONSTRAINT "deal_assignees_account_id_user_id_fkey"
    FOREIGN KEY ("account_id", "user_id") REFERENCES "users"("account_id", "id") NOT VALID;
