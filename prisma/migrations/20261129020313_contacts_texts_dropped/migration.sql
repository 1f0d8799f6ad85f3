-- The index of folded texts finds what this one found.
DROP INDEX CONCURRENTLY IF EXISTS "contacts_texts_idx";
