import type { Resolvers } from '../../generated/graphql.ts';
import { getting, searching } from '../../resources/kernel/read.ts';
import { createProduct, deleteProduct, updateProduct } from '../../resources/products/verbs.ts';
import { selectionOf } from '../selection.ts';

const get = getting('products', 'product.read');
const search = searching('products', 'product.read');

export const products = {
  Query: {
    product: (_, { account_id, id }, ctx, info) => get(ctx, account_id, id, selectionOf(info)),
    products: (_, { account_id, ...page }, ctx, info) =>
      search(ctx, account_id, page, selectionOf(info, ['data'])),
  },
  Mutation: {
    create_product: (_, { account_id, input }, ctx, info) =>
      createProduct(ctx, account_id, input, selectionOf(info)),
    update_product: (_, { account_id, id, input }, ctx, info) =>
      updateProduct(ctx, account_id, id, input, selectionOf(info)),
    delete_product: (_, { account_id, id }, ctx) => deleteProduct(ctx, account_id, id),
  },
} satisfies Resolvers;
