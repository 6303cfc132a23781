/**
 * Theme toggle: <button data-theme-toggle hidden> goes round from the system's theme
 * to light, to dark. Figures repaint on the event `themechange` of the document.
 */

const THEMES = ["system", "light", "dark"];

export function currentTheme() {
  return document.documentElement.dataset.theme ?? "system";
}

function choose(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("theme");
  } else {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  }
  document.dispatchEvent(new Event("themechange"));
}

function label(button) {
  button.textContent = `Theme: ${currentTheme()}`;
}

for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  label(button);
  button.hidden = false;
  button.addEventListener("click", () => {
    choose(THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length]);
    label(button);
  });
}
