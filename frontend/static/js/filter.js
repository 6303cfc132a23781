/**
 * Filter: <input data-filter="<id>"> shows those rows of the table with that id whose
 * data-filter-text contains what is typed, and counts them in data-filter-count="<id>";
 * the address keeps what is typed.
 */

export function filterRows(table, text) {
  const wanted = text.trim().toLowerCase();
  const rows = [...table.querySelectorAll("[data-filter-text]")];
  for (const row of rows) {
    row.hidden = !row.dataset.filterText.toLowerCase().includes(wanted);
  }
  const shown = rows.filter((row) => !row.hidden).length;
  for (const count of document.querySelectorAll(`[data-filter-count="${table.id}"]`)) {
    count.textContent = shown.toLocaleString("en");
  }
  table.querySelector("[data-filter-echo]").textContent = text;
  table.querySelector("[data-filter-nothing]").hidden = shown > 0;
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
  input.value ||= new URL(location.href).searchParams.get(input.name) ?? "";
  if (input.value) {
    filterRows(table, input.value);
  }
  input.addEventListener("input", () => {
    filterRows(table, input.value);
    remember(input.name, input.value);
  });
}
