import type { Shape } from '../../db/shape.ts';

export const deal_products: Shape = {
  table: 'deal_products',
  columns: {
    id: 'integer',
    account_id: 'integer',
    product_id: 'integer',
    deal_id: 'integer',
    quantity: 'integer',
    unit_amount_in_cents: 'integer',
    product_name: 'text',
    product_identifier: 'text',
    total_amount_in_cents: 'integer',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  associations: {
    product: { to: 'products', many: false, on: { id: 'product_id' } },
    deal: { to: 'deals', many: false, on: { id: 'deal_id' } },
  },
  searchable: [
    'id',
    'product_id',
    'deal_id',
    'quantity',
    'unit_amount_in_cents',
    'product_name',
    'product_identifier',
    'total_amount_in_cents',
    'created_at',
    'updated_at',
  ],
};
