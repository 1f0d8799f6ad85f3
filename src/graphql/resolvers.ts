/** One resolver a root field: it unpacks, calls one use case and returns. */
import { type GraphQLSchema, isObjectType } from 'graphql';
import type { Context } from '../context.ts';
import type { Resolvers } from '../generated/graphql.ts';
import { spend } from './budget.ts';
import { audit } from './resolvers/audit.ts';
import { contacts } from './resolvers/contacts.ts';
import { dashboards } from './resolvers/dashboards.ts';
import { dealProducts } from './resolvers/deal_products.ts';
import { deals } from './resolvers/deals.ts';
import { events } from './resolvers/events.ts';
import { pipelines } from './resolvers/pipelines.ts';
import { products } from './resolvers/products.ts';
import { users } from './resolvers/users.ts';
import { scalars } from './scalars.ts';
import { isRelation, relationKey } from './selection.ts';

export const resolvers: Resolvers = {
  ...scalars,
  Query: {
    ...contacts.Query,
    ...deals.Query,
    ...dealProducts.Query,
    ...products.Query,
    ...pipelines.Query,
    ...events.Query,
    ...users.Query,
    ...audit.Query,
    ...dashboards.Query,
  },
  Mutation: {
    ...contacts.Mutation,
    ...deals.Mutation,
    ...dealProducts.Mutation,
    ...products.Mutation,
    ...pipelines.Mutation,
    ...events.Mutation,
    ...users.Mutation,
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
      field.resolve = (record: Readonly<Record<string, unknown>>, _, context: Context, info) => {
        const value = record[relationKey(String(info.path.key))];
        if (!context.stored) spend(context, value, info);
        return value;
      };
    }
  }
}
