ALTER TABLE "stages" VALIDATE CONSTRAINT "stages_rests_after_days_check";
