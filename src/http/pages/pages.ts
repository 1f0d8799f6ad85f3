/** What people open in a browser, and what programs read of the service itself. */
import type { FastifyInstance } from 'fastify';
import type { Verifier } from '../../auth/verifier.ts';
import { Assets } from './assets.ts';
import { addConsole } from './console.ts';
import { addDocs, type Documentation } from './docs.ts';
import { addGraphiql } from './graphiql.ts';
import { addSchema } from './schema.ts';
import { addWellKnown } from './well_known.ts';

export interface PagesOptions {
  readonly documentation: Documentation;
  /** Whether GraphiQL is served, and everybody may read the schema. */
  readonly graphiql: boolean;
  /** The GraphQL schema as its authors wrote it. */
  readonly sdl: string;
  /** What the schema says of itself. */
  readonly introspection: () => object;
  /** Knows the tokens by which the schema is read where not everybody may. */
  readonly verifier: Verifier;
  /** Whom to tell of a hole, a URL. */
  readonly securityContact: string | undefined;
}

/** Adds the documentation, GraphiQL, the schema, the console, and what crawlers ask for. */
export function addPages(server: FastifyInstance, options: PagesOptions): void {
  const { documentation, graphiql, sdl, introspection, verifier, securityContact } = options;
  const assets = new Assets(server);
  addDocs(server, assets, documentation);
  if (graphiql) addGraphiql(server, assets, introspection, sdl);
  addSchema(server, sdl, graphiql ? undefined : verifier);
  addConsole(server, assets, graphiql);
  addWellKnown(server, securityContact);
}
