import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import type { FollowContext } from './follow_context.ts';

/** The types whose fields are watched, each as the query of its name. */
const watched = ['Subscription', 'Dashboard'];

/** Those that are not. */
const others: Readonly<Record<string, GraphQLFieldResolver<unknown, FollowContext>>> = {
  dashboard: () => ({}),
  changes: (_, args, { follow }) => follow(args),
};

/**
 * Has what can be watched resolve as the query of its name.
 * @param schema whose queries have their resolvers
 */
export function resolveWatched(schema: GraphQLSchema): void {
  const queries = schema.getQueryType()?.getFields() ?? {};
  for (const name of watched) {
    const type = schema.getType(name);
    if (!isObjectType(type)) throw new Error(`the schema has no ${name}`);
    for (const field of Object.values(type.getFields())) {
      const resolve = others[field.name] ?? queries[field.name]?.resolve;
      if (!resolve) throw new Error(`${field.name} is watched, and no query`);
      field.resolve = resolve;
    }
  }
}
