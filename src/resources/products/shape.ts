import type { Shape } from '../../db/shape.ts';

export const products: Shape = {
  table: 'products',
  columns: {
    id: 'integer',
    account_id: 'integer',
    identifier: 'text',
    name: 'text',
    description: 'text',
    amount_in_cents: 'integer',
    quantity_available: 'integer',
    custom_attributes: 'json',
    additional_attributes: 'json',
    created_at: 'timestamp',
    updated_at: 'timestamp',
  },
  associations: {
    deal_products: { to: 'deal_products', many: true, on: { product_id: 'id' }, searchable: true },
    deals: {
      to: 'deals',
      many: true,
      on: { id: 'deal_id' },
      through: { table: 'deal_products', on: { product_id: 'id' } },
      searchable: true,
    },
  },
  searchable: [
    'id',
    'identifier',
    'name',
    'description',
    'amount_in_cents',
    'quantity_available',
    'created_at',
    'updated_at',
    'custom_attributes',
  ],
};
