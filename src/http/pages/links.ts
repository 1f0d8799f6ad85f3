/** A page of the service, and what it is for. */
export interface Link {
  readonly path: string;
  readonly title: string;
  readonly purpose: string;
}

/** @param graphiql whether GraphiQL is served */
export const linksOf = (graphiql: boolean): readonly Link[] => [
  { path: '/console', title: 'Console', purpose: 'to sign in, and get a token' },
  { path: '/docs', title: 'REST', purpose: 'every endpoint, to read and to try out' },
  ...(graphiql
    ? [{ path: '/graphiql', title: 'GraphQL', purpose: 'the schema and queries, to try out' }]
    : []),
  { path: '/openapi.json', title: 'OpenAPI', purpose: 'REST, to generate a client from' },
  ...(graphiql
    ? [
        {
          path: '/schema.graphql',
          title: 'Schema',
          purpose: 'GraphQL, to generate a client from',
        },
      ]
    : []),
];
