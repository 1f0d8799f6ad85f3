-- People who signed in.
CREATE TABLE "sessions" (
    "id" BIGSERIAL NOT NULL,
    "account_id" BIGINT NOT NULL,
    "user_id" BIGINT NOT NULL,
    "token_hash" VARCHAR(43) NOT NULL,
    "user_agent" VARCHAR(255) NOT NULL DEFAULT '',
    "ip" VARCHAR(45) NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("account_id","id")
);
CREATE INDEX "sessions_token_hash_idx" ON "sessions"("token_hash");
CREATE INDEX "sessions_account_id_user_id_idx" ON "sessions"("account_id", "user_id");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");
CREATE UNIQUE INDEX "sessions_account_id_token_hash_key" ON "sessions"("account_id", "token_hash");
