/* Runs in the browser, after Swagger UI. */
SwaggerUIBundle({
  url: '/openapi.json',
  domNode: document.getElementById('root'),
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  // Its default asks a service of another host whether the document is valid.
  validatorUrl: null,
});
