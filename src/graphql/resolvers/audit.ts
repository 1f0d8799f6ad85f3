import type { Resolvers } from '../../generated/graphql.ts';
import { searching } from '../../resources/kernel/read.ts';
import { selectionOf } from '../selection.ts';

const search = searching('audit_entries', 'audit.read', [
  { attribute: { path: [], column: 'id', kind: 'integer' }, descending: true },
]);

export const audit = {
  Query: {
    audit_entries: (_, { account_id, ...page }, ctx, info) =>
      search(ctx, account_id, page, selectionOf(info, ['data'])),
  },
} satisfies Resolvers;
