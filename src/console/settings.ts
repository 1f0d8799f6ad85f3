/** What the service tells its page, see `src/http/pages/console.ts`. */
const { graphiql: served } = document.getElementById('root')?.dataset ?? {};

/** Whether there is a GraphiQL to lead to. */
export const graphiql = served === 'true';
