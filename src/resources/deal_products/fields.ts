import type { Faults } from '../../errors.ts';
import { type Field, integer, largest, reference, type Sent, text } from '../fields.ts';

/** Null takes over what the product has at this moment. */
const orProducts = <T>(field: Field<T>): Field<T | null> => ({
  ...field,
  cleared: { value: null },
});

/** What can be changed of an attached product. */
export const dealProductFields = {
  quantity: integer({ least: 1, cleared: 1 }),
  unit_amount_in_cents: orProducts(integer({ least: 0 })),
  product_name: orProducts(text()),
  product_identifier: orProducts(text()),
};

/** What attaching one takes. */
export const attachFields = { ...dealProductFields, product_id: reference, deal_id: reference };

export type DealProductSent = Sent<typeof dealProductFields>;

/** Told when the total would be beyond what an amount can be. */
export function reportTotal(faults: Faults): void {
  faults.add('quantity', `makes the total larger than ${largest}`);
}
