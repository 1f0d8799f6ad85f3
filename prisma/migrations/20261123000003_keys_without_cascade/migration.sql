-- A database that spreads accounts over several servers takes no key that follows an id when it
-- changes, and ids never change. The new keys hold for every row from now on; what the tables hold
-- already the keys before them vouched for, and the next migration checks it while writers go on.
ALTER TABLE "users"
  DROP CONSTRAINT "users_account_id_fkey";
ALTER TABLE "api_tokens"
  DROP CONSTRAINT "api_tokens_account_id_fkey",
  DROP CONSTRAINT "api_tokens_account_id_user_id_fkey";
ALTER TABLE "contacts"
  DROP CONSTRAINT "contacts_account_id_fkey";
ALTER TABLE "pipelines"
  DROP CONSTRAINT "pipelines_account_id_fkey";
ALTER TABLE "stages"
  DROP CONSTRAINT "stages_account_id_fkey",
  DROP CONSTRAINT "stages_account_id_pipeline_id_fkey";
ALTER TABLE "deals"
  DROP CONSTRAINT "deals_account_id_fkey",
  DROP CONSTRAINT "deals_account_id_contact_id_fkey",
  DROP CONSTRAINT "deals_account_id_pipeline_id_fkey",
  DROP CONSTRAINT "deals_account_id_pipeline_id_stage_id_fkey",
  DROP CONSTRAINT "deals_account_id_created_by_id_fkey";
ALTER TABLE "deal_assignees"
  DROP CONSTRAINT "deal_assignees_account_id_fkey",
  DROP CONSTRAINT "deal_assignees_account_id_deal_id_fkey",
  DROP CONSTRAINT "deal_assignees_account_id_user_id_fkey";
ALTER TABLE "products"
  DROP CONSTRAINT "products_account_id_fkey";
ALTER TABLE "deal_products"
  DROP CONSTRAINT "deal_products_account_id_fkey",
  DROP CONSTRAINT "deal_products_account_id_deal_id_fkey",
  DROP CONSTRAINT "deal_products_account_id_product_id_fkey";
ALTER TABLE "events"
  DROP CONSTRAINT "events_account_id_fkey",
  DROP CONSTRAINT "events_account_id_contact_id_fkey",
  DROP CONSTRAINT "events_account_id_deal_id_fkey";
ALTER TABLE "audit_entries"
  DROP CONSTRAINT "audit_entries_account_id_fkey";
ALTER TABLE "users"
  ADD CONSTRAINT "users_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID;
ALTER TABLE "api_tokens"
  ADD CONSTRAINT "api_tokens_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "api_tokens_account_id_user_id_fkey"
    FOREIGN KEY ("account_id", "user_id") REFERENCES "users"("account_id", "id") ON DELETE CASCADE NOT VALID;
ALTER TABLE "contacts"
  ADD CONSTRAINT "contacts_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID;
ALTER TABLE "pipelines"
  ADD CONSTRAINT "pipelines_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID;
ALTER TABLE "stages"
  ADD CONSTRAINT "stages_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "stages_account_id_pipeline_id_fkey"
    FOREIGN KEY ("account_id", "pipeline_id") REFERENCES "pipelines"("account_id", "id") ON DELETE RESTRICT NOT VALID;
ALTER TABLE "deals"
  ADD CONSTRAINT "deals_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "deals_account_id_contact_id_fkey"
    FOREIGN KEY ("account_id", "contact_id") REFERENCES "contacts"("account_id", "id") ON DELETE CASCADE NOT VALID,
  ADD CONSTRAINT "deals_account_id_pipeline_id_fkey"
    FOREIGN KEY ("account_id", "pipeline_id") REFERENCES "pipelines"("account_id", "id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "deals_account_id_pipeline_id_stage_id_fkey"
    FOREIGN KEY ("account_id", "pipeline_id", "stage_id") REFERENCES "stages"("account_id", "pipeline_id", "id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "deals_account_id_created_by_id_fkey"
    FOREIGN KEY ("account_id", "created_by_id") REFERENCES "users"("account_id", "id") ON DELETE NO ACTION NOT VALID;
ALTER TABLE "deal_assignees"
  ADD CONSTRAINT "deal_assignees_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "deal_assignees_account_id_deal_id_fkey"
    FOREIGN KEY ("account_id", "deal_id") REFERENCES "deals"("account_id", "id") ON DELETE CASCADE NOT VALID,
  ADD CONSTRAINT "deal_assignees_account_id_user_id_fkey"
    FOREIGN KEY ("account_id", "user_id") REFERENCES "users"("account_id", "id") ON DELETE CASCADE NOT VALID;
ALTER TABLE "products"
  ADD CONSTRAINT "products_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID;
ALTER TABLE "deal_products"
  ADD CONSTRAINT "deal_products_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "deal_products_account_id_deal_id_fkey"
    FOREIGN KEY ("account_id", "deal_id") REFERENCES "deals"("account_id", "id") ON DELETE CASCADE NOT VALID,
  ADD CONSTRAINT "deal_products_account_id_product_id_fkey"
    FOREIGN KEY ("account_id", "product_id") REFERENCES "products"("account_id", "id") ON DELETE RESTRICT NOT VALID;
ALTER TABLE "events"
  ADD CONSTRAINT "events_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID,
  ADD CONSTRAINT "events_account_id_contact_id_fkey"
    FOREIGN KEY ("account_id", "contact_id") REFERENCES "contacts"("account_id", "id") ON DELETE CASCADE NOT VALID,
  ADD CONSTRAINT "events_account_id_deal_id_fkey"
    FOREIGN KEY ("account_id", "deal_id") REFERENCES "deals"("account_id", "id") ON DELETE CASCADE NOT VALID;
ALTER TABLE "audit_entries"
  ADD CONSTRAINT "audit_entries_account_id_fkey"
    FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT NOT VALID;

-- Such a database does the steps of a statement one after the other, so places of stages are only
-- unique once all are done: when the transaction ends, as it is with ranks of deals.
ALTER TABLE "stages"
  DROP CONSTRAINT "stages_account_id_pipeline_id_position_key",
  ADD CONSTRAINT "stages_account_id_pipeline_id_position_key"
    UNIQUE ("account_id", "pipeline_id", "position") DEFERRABLE INITIALLY DEFERRED;
