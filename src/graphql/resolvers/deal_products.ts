import type { Resolvers } from '../../generated/graphql.ts';
import { createDealProduct } from '../../resources/deal_products/create.ts';
import { deleteDealProduct } from '../../resources/deal_products/delete.ts';
import { updateDealProduct } from '../../resources/deal_products/update.ts';
import { getting, searching } from '../../resources/kernel/read.ts';
import { selectionOf } from '../selection.ts';

const get = getting('deal_products', 'deal_product.read');
const search = searching('deal_products', 'deal_product.read');

export const dealProducts = {
  Query: {
    deal_product: (_, { account_id, id }, ctx, info) => get(ctx, account_id, id, selectionOf(info)),
    deal_products: (_, { account_id, ...page }, ctx, info) =>
      search(ctx, account_id, page, selectionOf(info, ['data'])),
  },
  Mutation: {
    create_deal_product: (_, { account_id, input }, ctx, info) =>
      createDealProduct(ctx, account_id, input, selectionOf(info)),
    update_deal_product: (_, { account_id, id, input }, ctx, info) =>
      updateDealProduct(ctx, account_id, id, input, selectionOf(info)),
    delete_deal_product: (_, { account_id, id }, ctx) => deleteDealProduct(ctx, account_id, id),
  },
} satisfies Resolvers;
