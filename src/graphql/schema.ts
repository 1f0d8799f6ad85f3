import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { boundWork } from './guard/bounds.ts';
import { resolvers } from './resolvers.ts';

/** The contract as text. */
export const sdl = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

/** The contract with its resolvers. */
export const schema: GraphQLSchema = makeExecutableSchema({ typeDefs: sdl, resolvers });

boundWork(schema);

// A scalar's resolver replaces the whole type, which loses its description.
for (const type of Object.values(schema.getTypeMap())) {
  type.description ??= type.astNode?.description?.value;
}
