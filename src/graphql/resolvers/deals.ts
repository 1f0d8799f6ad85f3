import type { Resolvers } from '../../generated/graphql.ts';
import { addAssignee } from '../../resources/deal_assignees/add.ts';
import { removeAssignee } from '../../resources/deal_assignees/remove.ts';
import { createDeal } from '../../resources/deals/create.ts';
import { deleteDeal } from '../../resources/deals/delete.ts';
import { updateDeal } from '../../resources/deals/update.ts';
import { upsertDeal } from '../../resources/deals/upsert.ts';
import { getting, searching } from '../../resources/kernel/read.ts';
import { selectionOf } from '../selection.ts';

const get = getting('deals', 'deal.read');
const search = searching('deals', 'deal.read');

export const deals = {
  Query: {
    deal: (_, { account_id, id }, ctx, info) => get(ctx, account_id, id, selectionOf(info)),
    deals: (_, { account_id, ...page }, ctx, info) =>
      search(ctx, account_id, page, selectionOf(info, ['data'])),
  },
  Mutation: {
    create_deal: (_, { account_id, input }, ctx, info) =>
      createDeal(ctx, account_id, input, selectionOf(info)),
    update_deal: (_, { account_id, id, input }, ctx, info) =>
      updateDeal(ctx, account_id, id, input, selectionOf(info)),
    upsert_deal: (_, { account_id, input }, ctx, info) =>
      upsertDeal(ctx, account_id, input, selectionOf(info, ['deal'])),
    delete_deal: (_, { account_id, id }, ctx) => deleteDeal(ctx, account_id, id),
    create_deal_assignee: (_, { account_id, input }, ctx, info) =>
      addAssignee(ctx, account_id, input, selectionOf(info)),
    delete_deal_assignee: (_, { account_id, id }, ctx) => removeAssignee(ctx, account_id, id),
  },
} satisfies Resolvers;
