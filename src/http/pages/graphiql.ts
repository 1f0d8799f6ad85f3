/** GraphiQL, to explore the GraphQL schema with one's own token. */
import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, introspectionFromSchema } from 'graphql';
import { addAsset, pageFile } from './asset.ts';
import { addPage } from './page.ts';

/**
 * Adds `GET /graphiql`. The page has the schema before it has a token, but needs one to ask for data.
 */
export function addGraphiql(server: FastifyInstance, schema: GraphQLSchema): void {
  const file = (name: string) => addAsset(server, name, pageFile(name));
  const introspection = { data: introspectionFromSchema(schema) };
  addPage(server, '/graphiql', {
    title: 'GraphiQL, Sales CRM',
    styles: [file('graphiql.css'), file('graphiql_page.css')],
    scripts: [
      file('react.js'),
      file('react-dom.js'),
      file('graphiql.js'),
      file('graphiql_page.js'),
    ],
    // Its dialogs add one, to keep the page from scrolling.
    addsStyles: true,
    data: {
      introspection: addAsset(server, 'introspection.json', JSON.stringify(introspection)),
      examples: pageFile('examples.graphql').toString('utf8'),
    },
  });
}
