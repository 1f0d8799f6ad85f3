/** GraphiQL, to explore the GraphQL schema with one's own token. */
import type { FastifyInstance } from 'fastify';
import { addAsset, pageFile } from './asset.ts';
import { addPage } from './page.ts';

/**
 * Adds `GET /graphiql`. The page has the schema before it has a token, but needs one to ask for data.
 * @param schema what it says of itself: the data of an introspection
 */
export function addGraphiql(server: FastifyInstance, schema: object): void {
  const file = (name: string) => addAsset(server, name, pageFile(name));
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
      introspection: addAsset(server, 'introspection.json', JSON.stringify({ data: schema })),
      examples: pageFile('examples.graphql').toString('utf8'),
    },
  });
}
