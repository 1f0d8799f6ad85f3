-- The latest scheduled_at whose passing was told. What was scheduled for the time before this
-- migration is not told: now() is evaluated once, and no row is written.
ALTER TABLE "events" ADD COLUMN "due_at" TIMESTAMPTZ(3) DEFAULT now();
ALTER TABLE "events" ALTER COLUMN "due_at" DROP DEFAULT;
