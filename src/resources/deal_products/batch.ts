import { deletingWith } from '../kernel/batch/plain.ts';
import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates } from '../kernel/batch/verb.ts';
import { createDealProducts, removeDealProducts, updateDealProducts } from './bulk.ts';
import { createDealProduct } from './create.ts';
import { deleteDealProduct } from './delete.ts';
import { deal_products } from './record.ts';
import { updateDealProduct } from './update.ts';

export const batchDealProducts = batching(deal_products, {
  create: {
    action: 'deal_product.create',
    one: creates(createDealProduct),
    many: createDealProducts,
  },
  update: {
    action: 'deal_product.update',
    one: updates(updateDealProduct),
    many: updateDealProducts,
  },
  delete: {
    action: 'deal_product.delete',
    one: deletes(deleteDealProduct),
    many: deletingWith(removeDealProducts),
  },
});
