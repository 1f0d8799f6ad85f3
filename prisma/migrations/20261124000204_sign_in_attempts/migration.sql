-- Sign-ins that failed, counted for all processes.
CREATE TABLE "sign_in_attempts" (
    "id" BIGSERIAL NOT NULL,
    "client" VARCHAR(64) NOT NULL,
    "email_hash" VARCHAR(43) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "sign_in_attempts_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "sign_in_attempts_client_created_at_idx" ON "sign_in_attempts"("client", "created_at");
CREATE INDEX "sign_in_attempts_created_at_idx" ON "sign_in_attempts"("created_at");

-- A database that spreads accounts over several servers has a copy of it on each.
DO $$
BEGIN
  IF to_regclass('citus_tables') IS NOT NULL THEN
    IF EXISTS (SELECT FROM citus_tables WHERE table_name = 'contacts'::regclass) THEN
      PERFORM create_reference_table('sign_in_attempts');
    END IF;
  END IF;
END $$;
