import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates } from '../kernel/batch/verb.ts';
import { createDealProduct } from './create.ts';
import { deleteDealProduct } from './delete.ts';
import { deal_products } from './record.ts';
import { updateDealProduct } from './update.ts';

export const batchDealProducts = batching(deal_products, {
  create: { action: 'deal_product.create', one: creates(createDealProduct) },
  update: { action: 'deal_product.update', one: updates(updateDealProduct) },
  delete: { action: 'deal_product.delete', one: deletes(deleteDealProduct) },
});
