/**
 * Theme toggle: <button data-theme-toggle hidden> goes round from the system's theme
 * to light, to dark. A cookie keeps what was chosen, so that the server writes it into
 * the next page, and nobody waits for a script or sees the other theme before. Figures
 * repaint on the event `themechange` of the document. A page without a server finds what
 * was chosen in the storage of the browser, where that has one for it.
 */

const IS_FROZEN = "frozen" in document.documentElement.dataset;
const THEMES = ["system", "light", "dark"];

/** Seconds for which the browser remembers a theme. */
const YEAR = 31_536_000;

export function currentTheme() {
  return document.documentElement.dataset.theme ?? "system";
}

function show(theme) {
  if (theme === "system") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
}

/** Read or write the theme of pages that no server writes. */
function kept(theme) {
  try {
    if (theme) {
      localStorage.setItem("scalewatch-theme", theme);
    }
    return localStorage.getItem("scalewatch-theme");
  } catch {
    return undefined; // browsers may refuse it to files
  }
}

function choose(theme) {
  show(theme);
  if (IS_FROZEN) {
    kept(theme);
  }
  const age = theme === "system" ? 0 : YEAR;
  document.cookie = `theme=${theme}; path=/; max-age=${age}; samesite=lax`;
  document.dispatchEvent(new Event("themechange"));
}

const ICONS = { system: "◐", light: "☀", dark: "☾" };

function label(button) {
  button.textContent = ICONS[currentTheme()];
  button.ariaLabel = button.title = `Theme: ${currentTheme()}`;
}

if (IS_FROZEN && THEMES.includes(kept())) {
  show(kept());
}

for (const button of document.querySelectorAll("[data-theme-toggle]")) {
  label(button);
  button.hidden = false;
  button.addEventListener("click", () => {
    choose(THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length]);
    label(button);
  });
}
