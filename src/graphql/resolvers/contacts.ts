import type { Resolvers } from '../../generated/graphql.ts';
import { createContact } from '../../resources/contacts/create.ts';
import { deleteContact } from '../../resources/contacts/delete.ts';
import { updateContact } from '../../resources/contacts/update.ts';
import { upsertContact } from '../../resources/contacts/upsert.ts';
import { getting, searching } from '../../resources/kernel/read.ts';
import { selectionOf } from '../selection.ts';

const get = getting('contacts', 'contact.read');
const search = searching('contacts', 'contact.read');

export const contacts = {
  Query: {
    contact: (_, { account_id, id }, ctx, info) => get(ctx, account_id, id, selectionOf(info)),
    contacts: (_, { account_id, ...page }, ctx, info) =>
      search(ctx, account_id, page, selectionOf(info, ['data'])),
  },
  Mutation: {
    create_contact: (_, { account_id, input }, ctx, info) =>
      createContact(ctx, account_id, input, selectionOf(info)),
    upsert_contact: (_, { account_id, input }, ctx, info) =>
      upsertContact(ctx, account_id, input, selectionOf(info, ['contact'])),
    update_contact: (_, { account_id, id, input }, ctx, info) =>
      updateContact(ctx, account_id, id, input, selectionOf(info)),
    delete_contact: (_, { account_id, id }, ctx) => deleteContact(ctx, account_id, id),
  },
} satisfies Resolvers;
