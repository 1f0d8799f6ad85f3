/* Runs in the browser, after React, ReactDOM and GraphiQL. */
const root = document.getElementById('root');
const { introspection, examples } = root.dataset;

/** The schema is known without a token; everything else is asked of the service. */
async function ask(params, { headers } = {}) {
  if (params.operationName === 'IntrospectionQuery') {
    return (await fetch(introspection)).json();
  }
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(params),
  });
  return response.json();
}

const link = React.createElement(
  'a',
  { className: 'documentation-link', href: '/docs' },
  'REST documentation',
);

ReactDOM.createRoot(root).render(
  React.createElement(
    GraphiQL,
    {
      fetcher: ask,
      defaultEditorToolsVisibility: 'headers',
      defaultQuery: examples,
      defaultHeaders: '{"Authorization": "Bearer "}',
    },
    React.createElement(GraphiQL.Logo, null, link),
  ),
);
