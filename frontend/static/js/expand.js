/**
 * Expand: <a data-expand href="…&expand=<row>"> shows what belongs to its row below it,
 * which is <tr data-expansion> of the page at that address; the address keeps it.
 * The key e does it for the row that has the focus.
 */

import { showFigure } from "./figure.js";
import { isTyping } from "./keys.js";

function draw(row) {
  for (const element of row.querySelectorAll("[data-figure]")) {
    showFigure(element);
  }
}

async function expansionAt(address) {
  const response = await fetch(address);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector("[data-expansion]");
}

async function toggle(link) {
  const row = link.closest("tr");
  const shown = row.nextElementSibling?.matches("[data-expansion]") && row.nextElementSibling;
  const address = new URL(link.href);
  if (shown) {
    shown.remove();
    link.setAttribute("aria-expanded", "false");
    address.searchParams.delete("expand");
    history.replaceState(history.state, "", address);
    address.searchParams.set("expand", row.dataset.row);
    link.href = address;
    return;
  }
  const expansion = await expansionAt(address);
  if (!expansion) {
    location.assign(address);
    return;
  }
  row.after(expansion);
  link.setAttribute("aria-expanded", "true");
  history.replaceState(history.state, "", address);
  draw(expansion);
}

for (const link of document.querySelectorAll("[data-expand]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    toggle(link);
  });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "e" && !event.ctrlKey && !event.metaKey && !isTyping(event.target)) {
    const link = event.target.closest?.("tr")?.querySelector("[data-expand]");
    if (link) {
      toggle(link);
    }
  }
});

for (const row of document.querySelectorAll("[data-expansion]")) {
  draw(row);
}
