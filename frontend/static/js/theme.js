/**
 * Theme: what the reader chose last is set on the root element before anything is
 * painted. Not a module, since modules run too late for that.
 */

{
  const chosen = localStorage.getItem("theme");
  if (chosen) {
    document.documentElement.dataset.theme = chosen;
  }
}
