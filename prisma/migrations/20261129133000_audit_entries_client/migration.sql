-- The program of an agent, as it calls itself, beside the token that it came with.
ALTER TABLE "audit_entries" ADD COLUMN "client" VARCHAR(255);
