import { readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { type GraphQLSchema, parse } from 'graphql';
import { packageDirectory } from '../lib/directories.ts';
import { boundWork } from './guard/bounds.ts';
import { resolveWatched } from './live/subscriptions.ts';
import { resolvers } from './resolvers.ts';
import { scalarsOf } from './scalars.ts';

/** The contract as text. */
export const sdl = readFileSync(new URL('schema.graphql', packageDirectory), 'utf8');

/** The same, parsed. */
export const typeDefs = parse(sdl, { noLocation: true });

/** For what a test has found to be valid: to find it again takes each start a tenth of a second. */
export const trusted = { assumeValidSDL: true, assumeValid: true } as const;

/** The contract with its resolvers. */
export const schema: GraphQLSchema = makeExecutableSchema({
  typeDefs,
  resolvers: { ...scalarsOf(typeDefs), ...resolvers },
  updateResolversInPlace: true,
  ...trusted,
});

boundWork(schema);
resolveWatched(schema);
