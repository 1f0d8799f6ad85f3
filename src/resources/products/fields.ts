import { attributes, integer, longText, type Sent, text } from '../fields.ts';

/** A product's fields as clients send them. */
export const productFields = {
  identifier: text(),
  name: text(),
  description: longText,
  amount_in_cents: integer({ least: 0, cleared: 0 }),
  quantity_available: integer({ least: 0, cleared: 0 }),
  custom_attributes: attributes,
};

export type ProductSent = Sent<typeof productFields>;

/** What of a product a client decides. */
export type ProductValues = Required<ProductSent>;

export const blankProduct: ProductValues = {
  identifier: '',
  name: '',
  description: '',
  amount_in_cents: 0,
  quantity_available: 0,
  custom_attributes: '{}',
};
