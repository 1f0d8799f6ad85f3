-- AlterTable
ALTER TABLE "accounts" ADD COLUMN     "currency" CHAR(3);
