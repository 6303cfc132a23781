/**
 * Keys: <a data-key="["> is followed when its key is pressed, unless somebody types.
 * / goes to the first <input type="search"> of the page, or else to the palette; Escape
 * leaves the field with what was typed there,
 * j and k go through the rows of tables,
 * ? opens the dialog .keys, as <button data-keys-help hidden> does.
 */

export function isTyping(target) {
  return target.matches("input, select, textarea, [contenteditable]");
}

/** Return the links that name rows, or the items of lists, and can be seen. */
function rowLinks() {
  const links = document.querySelectorAll("main tbody th[scope=row] a:first-of-type, main .list__item a:first-of-type");
  return [...links].filter((link) => link.checkVisibility());
}

/** Return the row that has the focus, as its place among `links`; -1 if none has. */
function placeAmong(links) {
  const row = document.activeElement?.closest("tr, .list__item");
  return row ? links.findIndex((link) => row.contains(link)) : -1;
}

function goToRow(step) {
  const links = rowLinks();
  const place = placeAmong(links);
  const next = links[place < 0 ? 0 : Math.min(Math.max(place + step, 0), links.length - 1)];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function search() {
  const input = document.querySelector("main input[type=search]");
  if (input) {
    input.select();
  } else {
    document.querySelector("[data-palette]")?.click();
  }
}

const help = document.querySelector("dialog.keys");
const ACTIONS = {
  "/": search,
  "?": () => help.showModal(),
  j: () => goToRow(1),
  k: () => goToRow(-1),
};

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches("main input[type=search]")) {
    // Browsers would empty it: whoever filtered rows wants to go through them.
    event.preventDefault();
    event.target.blur();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) {
    return;
  }
  const action = ACTIONS[event.key];
  if (action) {
    if (action() !== false) {
      event.preventDefault();
    }
    return;
  }
  document.querySelector(`a[data-key="${CSS.escape(event.key)}"]`)?.click();
});

for (const button of document.querySelectorAll("[data-keys-help]")) {
  button.hidden = false;
  button.addEventListener("click", () => help.showModal());
}
