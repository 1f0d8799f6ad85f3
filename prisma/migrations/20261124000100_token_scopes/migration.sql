-- What a token may do of what its user may: whatever that is for those which there are.
-- The check knows the form of scopes and not their names, so that a new one needs no migration.
ALTER TABLE "api_tokens" ADD COLUMN     "scopes" TEXT[] DEFAULT ARRAY['*']::TEXT[];
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_scopes_check" CHECK (
  "scopes" IS NOT NULL AND array_position("scopes", NULL) IS NULL AND
  array_to_string("scopes", ' ') ~ '^(\*|read|[a-z_]+:(read|write))( (\*|read|[a-z_]+:(read|write)))*$'
) NOT VALID;
