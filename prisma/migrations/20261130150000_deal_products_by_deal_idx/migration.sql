-- The products of each deal without a look at the rows: of many deals PostgreSQL merges this with the deals' key.
CREATE INDEX CONCURRENTLY "deal_products_account_id_deal_id_product_id_idx" ON "deal_products" ("account_id", "deal_id", "product_id");
