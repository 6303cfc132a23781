/**
 * Filter: <input data-filter="<id>"> shows those rows of the table with that id whose
 * data-filter-text contains what is typed; the address keeps it.
 */

export function filterRows(table, text) {
  const wanted = text.trim().toLowerCase();
  const rows = [...table.querySelectorAll("[data-filter-text]")];
  for (const row of rows) {
    row.hidden = !row.dataset.filterText.toLowerCase().includes(wanted);
  }
  table.querySelector("[data-filter-echo]").textContent = text;
  table.querySelector("[data-filter-nothing]").hidden = rows.some((row) => !row.hidden);
}

function remember(name, text) {
  const address = new URL(location.href);
  address.searchParams.delete(name);
  if (text) {
    address.searchParams.set(name, text);
  }
  history.replaceState(history.state, "", address);
}

for (const input of document.querySelectorAll("[data-filter]")) {
  const table = document.getElementById(input.dataset.filter);
  input.addEventListener("input", () => {
    filterRows(table, input.value);
    remember(input.name, input.value);
  });
}
