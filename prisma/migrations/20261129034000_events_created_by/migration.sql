-- AlterTable
ALTER TABLE "events" ADD COLUMN "created_by_id" BIGINT;
