-- Erasures that are not finished, and the records whose traces they remove.
CREATE TABLE "erasure_records" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "erasure_id" BIGINT NOT NULL,
    "record_type" VARCHAR(64) NOT NULL,
    "record_id" BIGINT NOT NULL,

    CONSTRAINT "erasure_records_pkey" PRIMARY KEY ("account_id","id")
);

CREATE TABLE "erasures" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "contact_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "token_id" BIGINT,
    "request_id" VARCHAR(255) NOT NULL DEFAULT '',
    "step" VARCHAR(32) NOT NULL DEFAULT 'removal',
    "place" BIGINT NOT NULL DEFAULT 0,
    "last" BIGINT,
    "entries" BIGINT NOT NULL DEFAULT 0,
    "claimed_until" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "erasures_pkey" PRIMARY KEY ("account_id","id")
);

CREATE UNIQUE INDEX "erasure_records_record_key" ON "erasure_records"("account_id", "erasure_id", "record_type", "record_id");

CREATE UNIQUE INDEX "erasures_account_id_contact_id_key" ON "erasures"("account_id", "contact_id");
