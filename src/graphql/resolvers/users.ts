import type { Resolvers } from '../../generated/graphql.ts';
import { getting, searching } from '../../resources/kernel/read.ts';
import { createUser } from '../../resources/users/create.ts';
import { deleteUser } from '../../resources/users/delete.ts';
import { updateUser } from '../../resources/users/update.ts';
import { selectionOf } from '../selection.ts';

const get = getting('users', 'user.read');
const search = searching('users', 'user.read');

export const users = {
  Query: {
    user: (_, { account_id, id }, ctx, info) => get(ctx, account_id, id, selectionOf(info)),
    users: (_, { account_id, ...page }, ctx, info) =>
      search(ctx, account_id, page, selectionOf(info, ['data'])),
  },
  Mutation: {
    create_user: (_, { account_id, input }, ctx, info) =>
      createUser(ctx, account_id, input, selectionOf(info)),
    update_user: (_, { account_id, id, input }, ctx, info) =>
      updateUser(ctx, account_id, id, input, selectionOf(info)),
    delete_user: (_, { account_id, id }, ctx) => deleteUser(ctx, account_id, id),
  },
} satisfies Resolvers;
