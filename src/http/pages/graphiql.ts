/** GraphiQL, to explore the GraphQL schema with one's own token. */
import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { addAsset, ownFile, packageFile } from './asset.ts';
import { addPage } from './page.ts';

/**
 * Adds `GET /graphiql`. The page has the schema before it has a token, but needs one to ask for data.
 */
export function addGraphiql(server: FastifyInstance, schema: GraphQLSchema): void {
  const asset = (name: string, content: Buffer | string) => addAsset(server, name, content);
  const introspection = { data: introspectionFromSchema(schema) };
  addPage(server, '/graphiql', {
    title: 'GraphiQL, Sales CRM',
    styles: [
      asset('graphiql.css', packageFile('graphiql', 'graphiql.min.css')),
      asset('graphiql_page.css', ownFile('graphiql_page.css')),
    ],
    scripts: [
      asset('react.js', packageFile('react', 'umd/react.production.min.js')),
      asset('react-dom.js', packageFile('react-dom', 'umd/react-dom.production.min.js')),
      asset('graphiql.js', packageFile('graphiql', 'graphiql.min.js')),
      asset('graphiql_page.js', ownFile('graphiql_page.js')),
    ],
    // Its dialogs add one, to keep the page from scrolling.
    addsStyles: true,
    data: {
      introspection: asset('introspection.json', JSON.stringify(introspection)),
      examples: ownFile('examples.graphql').toString('utf8'),
    },
  });
}
