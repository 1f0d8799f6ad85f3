/** One resolver a root field: it unpacks, calls one use case and returns. */
import { type GraphQLSchema, isNonNullType } from 'graphql';
import type { Resolvers } from '../generated/graphql.ts';
import type { Bounded } from './guard/bounds.ts';
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

/** Has every root field keep within the bounds of its request, where it has some. */
export function boundWork(schema: GraphQLSchema): void {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const field of Object.values(type?.getFields() ?? {})) {
      const { resolve } = field;
      if (!resolve) throw new Error(`${field.name} has no resolver`);
      if (!isNonNullType(field.type)) throw new Error(`${field.name} may be null`);
      field.resolve = (root, given, context: Bounded, info) =>
        context.bounds
          ? context.bounds.resolve((fetched) => {
              const counted = fetched ? Object.assign(info, { fetched }) : info;
              return resolve(root, given, context, counted);
            })
          : resolve(root, given, context, info);
    }
  }
}
