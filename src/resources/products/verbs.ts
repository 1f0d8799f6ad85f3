/** A catalogue without rules of its own. Deals that hold a product keep what they took over. */
import { creating, deleting, updating } from '../kernel/write.ts';
import { products } from './record.ts';

export const createProduct = creating(products);
export const updateProduct = updating(products);
export const deleteProduct = deleting(products, ['deal_products', 'still refer to it']);
