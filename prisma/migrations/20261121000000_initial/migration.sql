-- CreateTable
CREATE TABLE "accounts" (
    "id" BIGSERIAL NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "default_country" CHAR(2),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "email" VARCHAR(255) NOT NULL,
    "password_hash" TEXT NOT NULL DEFAULT '',
    "role" VARCHAR(16) NOT NULL DEFAULT 'member',
    "full_name" VARCHAR(255) NOT NULL DEFAULT '',
    "phone" VARCHAR(255),
    "language" VARCHAR(8) NOT NULL DEFAULT 'en',
    "avatar_url" VARCHAR(255) NOT NULL DEFAULT '',
    "job_description" VARCHAR(255) NOT NULL DEFAULT 'other',
    "webpush_notify_on_event_expired" BOOLEAN NOT NULL DEFAULT false,
    "theme_preference" VARCHAR(255) NOT NULL DEFAULT 'system',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "jti" UUID NOT NULL,
    "name" VARCHAR(255) NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "contacts" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "full_name" VARCHAR(255) NOT NULL DEFAULT '',
    "email" VARCHAR(255) NOT NULL DEFAULT '',
    "phone" VARCHAR(255) NOT NULL DEFAULT '',
    "label_list" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "app_type" VARCHAR(255),
    "app_id" BIGINT,
    "chat_conversations_label_list" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "custom_attributes" JSON NOT NULL DEFAULT '{}',
    "additional_attributes" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "pipelines" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "name" VARCHAR(255) NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pipelines_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "stages" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "pipeline_id" BIGINT NOT NULL,
    "name" VARCHAR(255) NOT NULL DEFAULT '',
    "position" INTEGER NOT NULL,
    "deals_count" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "stages_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "deals" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "pipeline_id" BIGINT NOT NULL,
    "stage_id" BIGINT NOT NULL,
    "created_by_id" BIGINT,
    "name" VARCHAR(255) NOT NULL DEFAULT '',
    "status" VARCHAR(8) NOT NULL DEFAULT 'open',
    "position" INTEGER NOT NULL,
    "lost_reason" TEXT NOT NULL DEFAULT '',
    "lost_at" TIMESTAMPTZ(3),
    "won_at" TIMESTAMPTZ(3),
    "total_deal_products_amount_in_cents" BIGINT NOT NULL DEFAULT 0,
    "custom_attributes" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deals_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "deal_assignees" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "deal_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deal_assignees_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "products" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "identifier" VARCHAR(255) NOT NULL DEFAULT '',
    "name" VARCHAR(255) NOT NULL DEFAULT '',
    "description" TEXT NOT NULL DEFAULT '',
    "amount_in_cents" BIGINT NOT NULL DEFAULT 0,
    "quantity_available" BIGINT NOT NULL DEFAULT 0,
    "custom_attributes" JSON NOT NULL DEFAULT '{}',
    "additional_attributes" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "products_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "deal_products" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "deal_id" BIGINT NOT NULL,
    "product_id" BIGINT NOT NULL,
    "quantity" BIGINT NOT NULL DEFAULT 1,
    "unit_amount_in_cents" BIGINT NOT NULL DEFAULT 0,
    "total_amount_in_cents" BIGINT NOT NULL DEFAULT 0,
    "product_name" VARCHAR(255) NOT NULL DEFAULT '',
    "product_identifier" VARCHAR(255) NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deal_products_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "deal_id" BIGINT,
    "kind" VARCHAR(255) NOT NULL,
    "title" VARCHAR(255) NOT NULL DEFAULT '',
    "content" TEXT NOT NULL DEFAULT '',
    "from_me" BOOLEAN,
    "auto_done" BOOLEAN NOT NULL DEFAULT false,
    "scheduled_at" TIMESTAMPTZ(3),
    "done_at" TIMESTAMPTZ(3),
    "custom_attributes" JSON NOT NULL DEFAULT '{}',
    "additional_attributes" JSON NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "audit_entries" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "token_id" BIGINT,
    "action" VARCHAR(64) NOT NULL,
    "record_type" VARCHAR(64) NOT NULL,
    "record_id" BIGINT NOT NULL,
    "before" JSON,
    "after" JSON,
    "request_id" VARCHAR(255) NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_entries_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE INDEX "users_account_id_created_at_idx" ON "users"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "users_account_id_updated_at_idx" ON "users"("account_id", "updated_at");

-- CreateIndex
CREATE INDEX "api_tokens_jti_idx" ON "api_tokens"("jti");

-- CreateIndex
CREATE INDEX "api_tokens_account_id_user_id_idx" ON "api_tokens"("account_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_account_id_jti_key" ON "api_tokens"("account_id", "jti");

-- CreateIndex
CREATE INDEX "contacts_account_id_created_at_idx" ON "contacts"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "contacts_account_id_updated_at_idx" ON "contacts"("account_id", "updated_at");

-- CreateIndex
CREATE UNIQUE INDEX "stages_account_id_pipeline_id_id_key" ON "stages"("account_id", "pipeline_id", "id");

-- CreateIndex
CREATE INDEX "deals_account_id_contact_id_id_idx" ON "deals"("account_id", "contact_id", "id");

-- CreateIndex
CREATE INDEX "deals_account_id_pipeline_id_idx" ON "deals"("account_id", "pipeline_id");

-- CreateIndex
CREATE INDEX "deals_account_id_created_by_id_idx" ON "deals"("account_id", "created_by_id");

-- CreateIndex
CREATE INDEX "deals_account_id_status_idx" ON "deals"("account_id", "status");

-- CreateIndex
CREATE INDEX "deals_account_id_created_at_idx" ON "deals"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "deals_account_id_updated_at_idx" ON "deals"("account_id", "updated_at");

-- CreateIndex
CREATE INDEX "deal_assignees_account_id_user_id_idx" ON "deal_assignees"("account_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "deal_assignees_account_id_deal_id_user_id_key" ON "deal_assignees"("account_id", "deal_id", "user_id");

-- CreateIndex
CREATE INDEX "products_account_id_identifier_idx" ON "products"("account_id", "identifier");

-- CreateIndex
CREATE INDEX "products_account_id_amount_in_cents_idx" ON "products"("account_id", "amount_in_cents");

-- CreateIndex
CREATE INDEX "products_account_id_quantity_available_idx" ON "products"("account_id", "quantity_available");

-- CreateIndex
CREATE INDEX "products_account_id_created_at_idx" ON "products"("account_id", "created_at");

-- CreateIndex
CREATE INDEX "products_account_id_updated_at_idx" ON "products"("account_id", "updated_at");

-- CreateIndex
CREATE INDEX "deal_products_account_id_deal_id_idx" ON "deal_products"("account_id", "deal_id");

-- CreateIndex
CREATE INDEX "deal_products_account_id_product_id_idx" ON "deal_products"("account_id", "product_id");

-- CreateIndex
CREATE INDEX "events_account_id_contact_id_id_idx" ON "events"("account_id", "contact_id", "id");

-- CreateIndex
CREATE INDEX "events_account_id_deal_id_idx" ON "events"("account_id", "deal_id");

-- CreateIndex
CREATE INDEX "audit_entries_account_id_record_type_record_id_idx" ON "audit_entries"("account_id", "record_type", "record_id");

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_account_id_user_id_fkey" FOREIGN KEY ("account_id", "user_id") REFERENCES "users"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stages" ADD CONSTRAINT "stages_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stages" ADD CONSTRAINT "stages_account_id_pipeline_id_fkey" FOREIGN KEY ("account_id", "pipeline_id") REFERENCES "pipelines"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contacts"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_pipeline_id_fkey" FOREIGN KEY ("account_id", "pipeline_id") REFERENCES "pipelines"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_pipeline_id_stage_id_fkey" FOREIGN KEY ("account_id", "pipeline_id", "stage_id") REFERENCES "stages"("account_id", "pipeline_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_created_by_id_fkey" FOREIGN KEY ("account_id", "created_by_id") REFERENCES "users"("account_id", "id") ON DELETE NO ACTION ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deal_assignees" ADD CONSTRAINT "deal_assignees_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deal_assignees" ADD CONSTRAINT "deal_assignees_account_id_deal_id_fkey" FOREIGN KEY ("account_id", "deal_id") REFERENCES "deals"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deal_assignees" ADD CONSTRAINT "deal_assignees_account_id_user_id_fkey" FOREIGN KEY ("account_id", "user_id") REFERENCES "users"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "products" ADD CONSTRAINT "products_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deal_products" ADD CONSTRAINT "deal_products_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deal_products" ADD CONSTRAINT "deal_products_account_id_deal_id_fkey" FOREIGN KEY ("account_id", "deal_id") REFERENCES "deals"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deal_products" ADD CONSTRAINT "deal_products_account_id_product_id_fkey" FOREIGN KEY ("account_id", "product_id") REFERENCES "products"("account_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_contact_id_fkey" FOREIGN KEY ("account_id", "contact_id") REFERENCES "contacts"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_deal_id_fkey" FOREIGN KEY ("account_id", "deal_id") REFERENCES "deals"("account_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_entries" ADD CONSTRAINT "audit_entries_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "accounts"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- From here on: what schema.prisma has no words for.

-- Positions are shifted many at a time: unique when the statement has ended, not after each row.
ALTER TABLE "stages" ADD CONSTRAINT "stages_account_id_pipeline_id_position_key"
  UNIQUE ("account_id", "pipeline_id", "position") DEFERRABLE INITIALLY IMMEDIATE;
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_stage_id_position_key"
  UNIQUE ("account_id", "stage_id", "position") DEFERRABLE INITIALLY IMMEDIATE;

-- Unique when not blank.
CREATE UNIQUE INDEX "contacts_account_id_email_key" ON "contacts" ("account_id", (NULLIF("email", '')));
CREATE UNIQUE INDEX "contacts_account_id_phone_key" ON "contacts" ("account_id", (NULLIF("phone", '')));

-- Amounts are at least 0 and at most 2^53-1, the largest that JSON carries safely.
ALTER TABLE "products"
  ADD CONSTRAINT "products_amount_in_cents_check" CHECK ("amount_in_cents" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "products_quantity_available_check" CHECK ("quantity_available" BETWEEN 0 AND 9007199254740991);
ALTER TABLE "deal_products"
  ADD CONSTRAINT "deal_products_quantity_check" CHECK ("quantity" BETWEEN 1 AND 9007199254740991),
  ADD CONSTRAINT "deal_products_unit_amount_in_cents_check" CHECK ("unit_amount_in_cents" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "deal_products_total_amount_in_cents_check"
    CHECK ("total_amount_in_cents" BETWEEN 0 AND 9007199254740991
      AND "total_amount_in_cents"::numeric = "unit_amount_in_cents"::numeric * "quantity"::numeric);
ALTER TABLE "deals"
  ADD CONSTRAINT "deals_total_deal_products_amount_in_cents_check"
    CHECK ("total_deal_products_amount_in_cents" BETWEEN 0 AND 9007199254740991),
  ADD CONSTRAINT "deals_position_check" CHECK ("position" >= 1),
  ADD CONSTRAINT "deals_status_check" CHECK ("status" IN ('open', 'won', 'lost'));
ALTER TABLE "stages"
  ADD CONSTRAINT "stages_position_check" CHECK ("position" >= 1),
  ADD CONSTRAINT "stages_deals_count_check" CHECK ("deals_count" >= 0);
ALTER TABLE "users"
  ADD CONSTRAINT "users_role_check" CHECK ("role" IN ('admin', 'member')),
  ADD CONSTRAINT "users_language_check" CHECK ("language" IN ('en', 'pt-BR', 'es', 'de'));

-- Ignores case the Unicode way, whatever the database's own locale: PostgreSQL's own since 17,
-- before it the C library's or ICU's.
DO $$
BEGIN
  IF current_setting('server_version_num')::int >= 170000 THEN
    EXECUTE $create$ CREATE COLLATION "unicode_case" (provider = builtin, locale = 'C.UTF-8') $create$;
  ELSIF EXISTS (SELECT FROM pg_collation WHERE collname = 'C.utf8' AND collprovider = 'c') THEN
    EXECUTE $create$ CREATE COLLATION "unicode_case" FROM "C.utf8" $create$;
  ELSE
    EXECUTE $create$ CREATE COLLATION "unicode_case" (provider = icu, locale = 'und') $create$;
  END IF;
END $$;
