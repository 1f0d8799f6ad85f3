-- Links with which users set their first password, or a new one.
CREATE TABLE "sign_in_codes" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "code_hash" VARCHAR(43) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sign_in_codes_pkey" PRIMARY KEY ("account_id","id")
);
CREATE INDEX "sign_in_codes_code_hash_idx" ON "sign_in_codes"("code_hash");
CREATE UNIQUE INDEX "sign_in_codes_account_id_user_id_key" ON "sign_in_codes"("account_id", "user_id");
