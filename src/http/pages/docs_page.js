/* Runs in the browser, after Swagger UI. */

/** Operations whose path, name or summary has every word of the phrase; tags without any go too. */
function filtered(tags, phrase) {
  const words = phrase.toLowerCase().split(/\s+/);
  const matches = (operation) => {
    const about = operation.get('operation');
    const text = ['operationId', 'summary', 'description', 'tags']
      .map((name) => String(about.get(name) ?? ''))
      .concat(operation.get('method'), operation.get('path'))
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
  return tags
    .map((tag) => tag.update('operations', (operations) => operations.filter(matches)))
    .filter((tag) => tag.get('operations').size > 0);
}

/** Without this it would say that the document has no operations. */
function orNothingFound(Operations, { React, layoutSelectors, specSelectors }) {
  return (props) => {
    const phrase = layoutSelectors.currentFilter();
    const isPhrase = typeof phrase === 'string' && phrase !== '';
    return isPhrase && filtered(specSelectors.taggedOperations(), phrase).size === 0
      ? React.createElement('p', { role: 'status' }, 'No endpoint has all of these words.')
      : React.createElement(Operations, props);
  };
}

/**
 * Without the examples of parameters, which its forms would begin with: whoever tries an operation out would send all
 * of them. That of a search's query stays, since nobody knows its form by heart.
 */
function withEmptyForms(document) {
  for (const operations of Object.values(document.paths ?? {})) {
    for (const { parameters = [] } of Object.values(operations)) {
      for (const parameter of parameters) if (parameter.name !== 'query') delete parameter.example;
    }
  }
  return document;
}

SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.getElementById('root'),
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  plugins: [
    () => ({
      fn: { opsFilter: filtered },
      wrapComponents: { operations: orNothingFound },
      statePlugins: {
        spec: {
          wrapActions: {
            updateJsonSpec: (update) => (document) => update(withEmptyForms(document)),
          },
        },
      },
    }),
  ],
  // A token stays in this browser until "Logout".
  persistAuthorization: true,
  tryItOutEnabled: true,
  defaultModelsExpandDepth: 0,
  // Its default asks a service of another host whether the document is valid.
  validatorUrl: null,
});

/** Shows the guides that have every word, once somebody types any. */
function searchGuides(nav, address) {
  let texts;
  nav.querySelector('input').addEventListener('input', async ({ target }) => {
    texts ??= fetch(address).then((response) => response.json());
    const words = target.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = new Set();
    for (const { name, text } of await texts) {
      const all = text.toLowerCase();
      if (words.every((word) => all.includes(word))) found.add(name);
    }
    for (const item of nav.querySelectorAll('li')) item.hidden = !found.has(item.dataset.guide);
  });
}

searchGuides(document.querySelector('.guides'), document.getElementById('root').dataset.guides);
