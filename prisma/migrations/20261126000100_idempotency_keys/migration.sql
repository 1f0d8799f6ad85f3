-- What was answered to requests that came with a key.
CREATE TABLE "idempotency_keys" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "digest" VARCHAR(43) NOT NULL,
    "part" INTEGER NOT NULL DEFAULT 0,
    "kid" VARCHAR(16) NOT NULL,
    "fingerprint" VARCHAR(43) NOT NULL,
    "status" INTEGER NOT NULL,
    "answer" TEXT,
    "tells_of" TEXT[],
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("account_id","id"),
    CONSTRAINT "idempotency_keys_tells_of_check" CHECK ("tells_of" IS NOT NULL AND array_position("tells_of", NULL) IS NULL)
);
CREATE UNIQUE INDEX "idempotency_keys_account_id_digest_part_key" ON "idempotency_keys"("account_id", "digest", "part");

-- What is sealed does not shrink.
ALTER TABLE "idempotency_keys" ALTER COLUMN "answer" SET STORAGE EXTERNAL;
