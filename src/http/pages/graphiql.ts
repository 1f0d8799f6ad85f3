/** GraphiQL, to explore the GraphQL schema with one's own token. */
import type { FastifyInstance } from 'fastify';
import { type Assets, pageFile } from './assets.ts';
import { addPage } from './page.ts';

/**
 * Adds `GET /graphiql`. The page has the schema before it has a token, but needs one to ask for data.
 * @param schema what it says of itself, the data of an introspection; made when somebody first asks for it
 * @param sdl what it is made of
 */
export function addGraphiql(
  server: FastifyInstance,
  assets: Assets,
  schema: () => object,
  sdl: string,
): void {
  const file = (name: string) => assets.add(name, pageFile(name));
  const introspection = () => JSON.stringify({ data: schema() });
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
      introspection: assets.add('introspection.json', introspection, sdl),
      examples: pageFile('examples.graphql').toString('utf8'),
    },
  });
}
