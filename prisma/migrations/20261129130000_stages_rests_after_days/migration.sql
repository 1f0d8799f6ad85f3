-- Days in a stage after which a deal is shown as resting.
ALTER TABLE "stages" ADD COLUMN "rests_after_days" INTEGER;
ALTER TABLE "stages" ADD CONSTRAINT "stages_rests_after_days_check" CHECK ("rests_after_days" BETWEEN 1 AND 3650) NOT VALID;
