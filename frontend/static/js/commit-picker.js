/**
 * Commit pickers: the button after a <select> opens a dialog that finds any
 * commit of the project by message, tag, hash or date; what is chosen becomes the value of
 * the select. Without this script the select offers the newest commits and the tagged ones.
 */

import { SearchDialog, element, found } from "./search-dialog.js";

const page = document.querySelector("[data-palette]")?.href;
let dialog;
let picked;

/** Return the commits that the select offers by itself. */
function offered({ options }) {
  return [...options]
    .filter(({ value }) => value)
    .map((option) => {
      const [name, ...rest] = option.textContent.trim().split(" · ");
      return { kind: "Commits", name, detail: rest.join(" · "), path: "#", value: option.value };
    });
}

function take(hit, event) {
  event.preventDefault();
  const value = hit.value ?? hit.name;
  if (![...picked.options].some((option) => option.value === value)) {
    picked.append(element("option", { value, textContent: [hit.name, hit.detail].filter(Boolean).join(" · ") }));
  }
  picked.value = value;
  dialog.dialog.close();
  picked.focus();
  picked.dispatchEvent(new Event("change", { bubbles: true }));
}

function open(select) {
  picked = select;
  dialog ??= new SearchDialog(
    { name: "Find by message, tag or date", placeholder: "Message, tag, hash or date (2026-01)", id: "commit-hits" },
    async (text) => (text ? found(page, text, { only: "commits" }) : offered(picked)),
    take,
  );
  dialog.input.value = "";
  dialog.open();
}

for (const button of page ? document.querySelectorAll("[data-find-commit]") : []) {
  button.addEventListener("click", () => open(button.previousElementSibling));
  button.dataset.ready = "";
}
