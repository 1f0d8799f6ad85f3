/* Runs in the browser, after React, ReactDOM and GraphiQL. */
const root = document.getElementById('root');
const { introspection, examples } = root.dataset;

const advice = {
  401: 'Put a token after the word Bearer in the headers pane, below the query. On the machine that runs the service, this makes one: npm run --silent crm -- token create --email admin@example.com',
  404: 'Is it the account of the token? The variables pane sets it: {"account_id": 2}',
};

/** The schema is known without a token; everything else is asked of the service. */
async function ask(params, { headers = {} } = {}) {
  if (params.operationName === 'IntrospectionQuery') {
    return (await fetch(introspection)).json();
  }
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...withoutBlankToken(headers) },
    body: JSON.stringify(params),
  });
  const what_to_do = advice[response.status];
  return { ...(what_to_do && { what_to_do }), ...(await response.json()) };
}

/** While no token is filled in, whoever is signed in at the console asks. */
function withoutBlankToken(headers) {
  const given = Object.entries(headers).filter(([, value]) => !/^bearer\s*$/i.test(value));
  return Object.fromEntries(given);
}

/**
 * A query that the console leads here with, to run as the person who is signed in there: without a
 * token the cookie counts. Anybody can have written the address, so what it brings may only read.
 */
function brought() {
  const given = new URLSearchParams(location.hash.slice(1));
  const query = given.get('query');
  if (!query || /\b(mutation|subscription)\b/.test(query)) return {};
  history.replaceState(null, '', location.pathname);
  return { query, variables: given.get('variables') ?? '{}', headers: '{}' };
}

const link = React.createElement(
  'a',
  { className: 'documentation-link', href: '/docs' },
  'REST documentation',
);

ReactDOM.createRoot(root).render(
  React.createElement(
    'main',
    null,
    React.createElement('h1', null, 'GraphiQL'),
    React.createElement(
      GraphiQL,
      {
        fetcher: ask,
        defaultEditorToolsVisibility: 'headers',
        defaultQuery: examples,
        defaultHeaders: '{"Authorization": "Bearer "}',
        ...brought(),
      },
      React.createElement(GraphiQL.Logo, null, link),
    ),
  ),
);
