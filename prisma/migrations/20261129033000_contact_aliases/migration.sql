-- What contacts that were merged into others are still found by.
CREATE TABLE "contact_aliases" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "merged_id" BIGINT NOT NULL,
    "email" VARCHAR(255) NOT NULL DEFAULT '',
    "phone" VARCHAR(255) NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "contact_aliases_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "contact_aliases_account_id_contact_id_idx" ON "contact_aliases"("account_id", "contact_id");

-- CreateIndex
CREATE INDEX "contact_aliases_account_id_email_idx" ON "contact_aliases"("account_id", "email");

-- CreateIndex
CREATE INDEX "contact_aliases_account_id_phone_idx" ON "contact_aliases"("account_id", "phone");

-- CreateIndex
CREATE UNIQUE INDEX "contact_aliases_account_id_merged_id_key" ON "contact_aliases"("account_id", "merged_id");
