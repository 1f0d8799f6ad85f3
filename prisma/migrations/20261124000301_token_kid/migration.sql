-- Which secret signed a token; null of those that were signed before it was noted.
ALTER TABLE "api_tokens" ADD COLUMN "kid" VARCHAR(16);
