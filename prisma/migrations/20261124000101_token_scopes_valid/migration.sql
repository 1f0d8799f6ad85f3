-- Reads the table without holding up who writes to it.
ALTER TABLE "api_tokens" VALIDATE CONSTRAINT "api_tokens_scopes_check";
