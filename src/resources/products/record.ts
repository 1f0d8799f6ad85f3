import { attributes } from '../kernel/fields/attributes.ts';
import { integer, longText, text } from '../kernel/fields/fields.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource } from '../kernel/resource.ts';

export const products = resource('products', {
  fields: {
    identifier: text(),
    name: text(),
    description: longText,
    amount_in_cents: integer({ min: 0, cleared: 0 }),
    quantity_available: integer({ min: 0, cleared: 0 }),
    custom_attributes: attributes,
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
  foundBy: ['name', 'identifier'],
  followed: ['deal_products', 'deals'],
  through: { deals: ['deal_products', 'deal'] },
  takesPart: { changes: plainVerbs, undo: {}, exports: true },
});
