-- The contacts that an alias led to before, each of which was merged in turn: what undoing that takes.
ALTER TABLE "contact_aliases" ADD COLUMN "path" BIGINT[] NOT NULL DEFAULT '{}';
-- A contact that is removed and comes back is found by what it was found by before.
ALTER TABLE "contact_aliases" DROP CONSTRAINT "contact_aliases_account_id_contact_id_fkey";
