import { coded } from '../../errors/codes.ts';
import type { Faults } from '../../errors/errors.ts';
import { integer, largest, orDefault, reference, text } from '../kernel/fields/fields.ts';
import { plainVerbs } from '../kernel/participation.ts';
import { resource } from '../kernel/resource.ts';

export const deal_products = resource('deal_products', {
  fields: {
    quantity: integer({ min: 1, cleared: 1 }),
    // Null copies what the product has now.
    unit_amount_in_cents: orDefault(integer({ min: 0 })),
    product_name: orDefault(text()),
    product_identifier: orDefault(text()),
    product_id: reference,
    deal_id: reference,
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
  // From a deal or a product the language leads to what lies between them, and no further.
  followedFirst: ['deal', 'product'],
  takesPart: {
    changes: plainVerbs,
    undo: { derived: ['total_amount_in_cents'] },
    exports: true,
    erasure: true,
  },
});

/**
 * What a quantity costs.
 * @param faults receives that it is more than an amount can be
 */
export function totalOf(quantity: number, unitAmount: number, faults: Faults): number {
  const total = BigInt(quantity) * BigInt(unitAmount);
  if (total > BigInt(largest)) faults.add(...totalTooLarge);
  return Number(total);
}

/** The field and the message when a total would be more than an amount can be. */
export const totalTooLarge = [
  'quantity',
  coded('too_large', `makes the total larger than ${largest}`),
] as const;
