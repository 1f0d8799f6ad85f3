-- Events of a deal belong to the deal's contact. Those of deals that had got another contact stayed with
-- the one before, and would have been removed together with it.
UPDATE "events" AS e SET "contact_id" = d."contact_id", "updated_at" = now()
FROM "deals" AS d
WHERE d."account_id" = e."account_id" AND d."id" = e."deal_id" AND d."contact_id" <> e."contact_id";
