import { creatingMany, deletingMany, updatingMany } from '../kernel/batch/plain.ts';
import { batching } from '../kernel/batch/run.ts';
import { creates, deletes, updates } from '../kernel/batch/verb.ts';
import { products } from './record.ts';
import { createProduct, deleteProduct, updateProduct } from './verbs.ts';

export const batchProducts = batching(products, {
  create: {
    action: 'product.create',
    one: creates(createProduct),
    many: creatingMany(products),
  },
  update: { action: 'product.update', one: updates(updateProduct), many: updatingMany(products) },
  delete: { action: 'product.delete', one: deletes(deleteProduct), many: deletingMany(products) },
});
