/**
 * Palette: <a data-palette href="<search page>"> opens a dialog that asks that page for
 * what contains the words typed; Ctrl-K opens it everywhere, Enter goes to what is chosen.
 * Without this script the link leads to the page itself. Without a server data-index names
 * a script that states all that can be found.
 */

import { SearchDialog, found } from "./search-dialog.js";

const link = document.querySelector("[data-palette]");
let palette;

function open() {
  palette ??= new SearchDialog(
    {
      name: "Search everything",
      placeholder: "Region, machine, commit, page, regression",
      id: "palette-hits",
    },
    async (text) => (text ? found(link.dataset.index ?? link.href, text) : []),
    () => {}, // a hit is a link
  );
  palette.open();
}

if (link) {
  link.addEventListener("click", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open();
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey) {
      event.preventDefault();
      open();
    }
  });
}
