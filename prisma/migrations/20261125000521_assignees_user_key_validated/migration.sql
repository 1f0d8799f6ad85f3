-- The rows of before were under the key that this one replaces.
ALTER TABLE "deal_assignees" VALIDATE CONSTRAINT "deal_assignees_account_id_user_id_fkey";
