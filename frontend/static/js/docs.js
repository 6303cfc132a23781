/** Docs: an element with data-docs="<url>" shows the OpenAPI description there. */

for (const element of document.querySelectorAll("[data-docs]")) {
  SwaggerUIBundle({
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    domNode: element,
    url: element.dataset.docs,
  });
}
