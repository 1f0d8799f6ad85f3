-- Where changes are sent to, and what is sent there.
CREATE TABLE "webhooks" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "url" VARCHAR(2048) NOT NULL,
    "description" VARCHAR(255) NOT NULL DEFAULT '',
    "events" TEXT[],
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "secret" VARCHAR(64) NOT NULL,
    "previous_secret" VARCHAR(64),
    "previous_secret_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "disabled_at" TIMESTAMPTZ(3),
    "disabled_reason" VARCHAR(255),
    "place_of" VARCHAR(12) NOT NULL DEFAULT '',
    "place_order" BIGINT NOT NULL DEFAULT 0,
    "place_entry" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("account_id","id"),
    CONSTRAINT "webhooks_events_check" CHECK ("events" IS NOT NULL AND array_position("events", NULL) IS NULL AND cardinality("events") > 0),
    CONSTRAINT "webhooks_secret_check" CHECK ("secret" LIKE 'whsec\_%' AND "previous_secret" LIKE 'whsec\_%')
);
CREATE INDEX "webhooks_account_id_user_id_idx" ON "webhooks"("account_id", "user_id");

CREATE TABLE "webhook_deliveries" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "webhook_id" BIGINT NOT NULL,
    "message_id" VARCHAR(64) NOT NULL,
    "entry_id" BIGINT,
    "event" VARCHAR(64) NOT NULL,
    "record_type" VARCHAR(64) NOT NULL,
    "record_id" BIGINT NOT NULL,
    "status" VARCHAR(16) NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT CURRENT_TIMESTAMP,
    "response_status" INTEGER,
    "response_body" TEXT,
    "error" VARCHAR(255),
    "duration_ms" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("account_id","id"),
    CONSTRAINT "webhook_deliveries_status_check" CHECK ("status" IN ('pending', 'delivered', 'failed')),
    CONSTRAINT "webhook_deliveries_due_check" CHECK (("status" = 'pending') = ("next_attempt_at" IS NOT NULL))
);
CREATE INDEX "webhook_deliveries_account_id_webhook_id_id_idx" ON "webhook_deliveries"("account_id", "webhook_id", "id");
CREATE INDEX "webhook_deliveries_account_id_created_at_idx" ON "webhook_deliveries"("account_id", "created_at");
-- What is to be sent: few of many rows, in the order in which it is due.
CREATE INDEX "webhook_deliveries_due_idx" ON "webhook_deliveries"("account_id", "webhook_id", "next_attempt_at", "id") WHERE "status" = 'pending';
