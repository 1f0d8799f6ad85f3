-- Which secrets sign the tokens of this database, so that a process with another one can say so.
CREATE TABLE "signing_secrets" (
  "fingerprint" VARCHAR(16) NOT NULL,
  "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  "signs_from" TIMESTAMPTZ(3),
  "retired_at" TIMESTAMPTZ(3),
  CONSTRAINT "signing_secrets_pkey" PRIMARY KEY ("fingerprint")
);
