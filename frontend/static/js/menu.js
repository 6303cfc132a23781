/**
 * Menus and tabs: where they do not fit beside one another, the entry of the current
 * page is scrolled into sight.
 */

for (const menu of document.querySelectorAll(".menu")) {
  const current = menu.querySelector("[aria-current]");
  if (current) {
    const { left, width } = current.getBoundingClientRect();
    const beside = (menu.clientWidth - width) / 2;
    menu.scrollLeft += left - menu.getBoundingClientRect().left - beside;
  }
}
