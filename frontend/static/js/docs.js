/**
 * Docs: an element with data-docs="<url>" shows the OpenAPI description there. Swagger
 * UI is dark where the document has a class of its own, which follows the theme.
 */

const system = matchMedia("(prefers-color-scheme: dark)");

function followTheme() {
  const { theme } = document.documentElement.dataset;
  const isDark = theme === "dark" || (!theme && system.matches);
  document.documentElement.classList.toggle("dark-mode", isDark);
}

followTheme();
document.addEventListener("themechange", followTheme);
system.addEventListener("change", followTheme);

for (const element of document.querySelectorAll("[data-docs]")) {
  SwaggerUIBundle({
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    domNode: element,
    url: element.dataset.docs,
  });
}
