/** One resolver a root field: it unpacks, calls one use case and returns. */
import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Resolvers } from '../generated/graphql.ts';
import { createContact } from '../resources/contacts/create.ts';
import { deleteContact } from '../resources/contacts/delete.ts';
import { upsertContact } from '../resources/contacts/upsert.ts';
import { createDealProduct } from '../resources/deal_products/create.ts';
import { updateDealProduct } from '../resources/deal_products/update.ts';
import { createDeal } from '../resources/deals/create.ts';
import { updateDeal } from '../resources/deals/update.ts';
import { upsertDeal } from '../resources/deals/upsert.ts';
import { createProduct } from '../resources/products/create.ts';
import { updateProduct } from '../resources/products/update.ts';
import { getting, searching } from '../resources/read.ts';
import { createUser } from '../resources/users/create.ts';
import { scalars } from './scalars.ts';
import { isRelation, relationKey, selectionOf } from './selection.ts';

const getContact = getting('contacts', 'contact.read');
const searchContacts = searching('contacts', 'contact.read');
const getDeal = getting('deals', 'deal.read');
const searchDeals = searching('deals', 'deal.read');
const getDealProduct = getting('deal_products', 'deal_product.read');
const getProduct = getting('products', 'product.read');
const searchProducts = searching('products', 'product.read');
const searchUsers = searching('users', 'user.read');
const searchAuditEntries = searching('audit_entries', 'audit.read');

export const resolvers: Resolvers = {
  ...scalars,
  Query: {
    contact: (_, { account_id, id }, ctx, info) => getContact(ctx, account_id, id, selectionOf(info)),
    contacts: (_, { account_id, ...search }, ctx, info) =>
      searchContacts(ctx, account_id, search, selectionOf(info, ['data'], true)),
    deal: (_, { account_id, id }, ctx, info) => getDeal(ctx, account_id, id, selectionOf(info)),
    deals: (_, { account_id, ...search }, ctx, info) =>
      searchDeals(ctx, account_id, search, selectionOf(info, ['data'], true)),
    deal_product: (_, { account_id, id }, ctx, info) =>
      getDealProduct(ctx, account_id, id, selectionOf(info)),
    product: (_, { account_id, id }, ctx, info) => getProduct(ctx, account_id, id, selectionOf(info)),
    products: (_, { account_id, ...search }, ctx, info) =>
      searchProducts(ctx, account_id, search, selectionOf(info, ['data'], true)),
    users: (_, { account_id, ...search }, ctx, info) =>
      searchUsers(ctx, account_id, search, selectionOf(info, ['data'], true)),
    audit_entries: (_, { account_id, ...search }, ctx, info) =>
      searchAuditEntries(ctx, account_id, search, selectionOf(info, ['data'], true)),
  },
  Mutation: {
    create_contact: (_, { account_id, input }, ctx, info) =>
      createContact(ctx, account_id, input, selectionOf(info)),
    upsert_contact: (_, { account_id, input }, ctx, info) =>
      upsertContact(ctx, account_id, input, selectionOf(info, ['contact'])),
    delete_contact: (_, { account_id, id }, ctx) => deleteContact(ctx, account_id, id),
    create_deal: (_, { account_id, input }, ctx, info) =>
      createDeal(ctx, account_id, input, selectionOf(info)),
    update_deal: (_, { account_id, id, input }, ctx, info) =>
      updateDeal(ctx, account_id, id, input, selectionOf(info)),
    upsert_deal: (_, { account_id, input }, ctx, info) =>
      upsertDeal(ctx, account_id, input, selectionOf(info, ['deal'])),
    create_deal_product: (_, { account_id, input }, ctx, info) =>
      createDealProduct(ctx, account_id, input, selectionOf(info)),
    update_deal_product: (_, { account_id, id, input }, ctx, info) =>
      updateDealProduct(ctx, account_id, id, input, selectionOf(info)),
    create_product: (_, { account_id, input }, ctx, info) =>
      createProduct(ctx, account_id, input, selectionOf(info)),
    update_product: (_, { account_id, id, input }, ctx, info) =>
      updateProduct(ctx, account_id, id, input, selectionOf(info)),
    create_user: (_, { account_id, input }, ctx, info) =>
      createUser(ctx, account_id, input, selectionOf(info)),
  },
};

/**
 * Gives every field that leads to other records its resolver: what is beneath was fetched with
 * the record and is kept under the name that the client gave it.
 */
export function resolveRelations(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isRelation(type.name, field.name)) continue;
      field.resolve = (record: Readonly<Record<string, unknown>>, _, __, { path }) =>
        record[relationKey(String(path.key))];
    }
  }
}
