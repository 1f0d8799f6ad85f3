-- Tells databases apart in which changes have other orders: a place in one of them says nothing in another.
CREATE TABLE "incarnations" (
  "id" VARCHAR(12) NOT NULL DEFAULT "left"(replace((gen_random_uuid())::text, '-'::text, ''::text), 12),
  CONSTRAINT "incarnations_pkey" PRIMARY KEY ("id")
);
INSERT INTO "incarnations" DEFAULT VALUES;
