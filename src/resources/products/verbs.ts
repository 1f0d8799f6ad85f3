/** A catalogue without special rules. Changing a product changes no deal that holds it. */
import { coded } from '../../errors/codes.ts';
import { creating, deleting, updating } from '../kernel/write/write.ts';
import { products } from './record.ts';

export const createProduct = creating(products);
export const updateProduct = updating(products);
export const deleteProduct = deleting(products, [
  'deal_products',
  coded('in_use', 'still refer to it'),
]);
