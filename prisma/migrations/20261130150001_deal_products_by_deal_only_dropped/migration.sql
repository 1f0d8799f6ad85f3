-- The one before begins with the same columns.
DROP INDEX CONCURRENTLY IF EXISTS "deal_products_account_id_deal_id_idx";
