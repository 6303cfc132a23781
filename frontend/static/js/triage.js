/**
 * Triage of the rows of <table data-triage="form">, each with a box for that form:
 * x ticks the row that has the focus, * all rows; the keys of <button data-triage-key>
 * treat what is ticked, or else the row that has the focus, which then goes to the next;
 * o goes to the field of the owner, for these.
 */

import { isTyping } from "./keys.js";

const table = document.querySelector("[data-triage]");
const form = document.getElementById(table?.dataset.triage);
const boxes = () => [...table.querySelectorAll("tbody input[type=checkbox]")];
const all = table?.querySelector("[data-tick-all]");

function focused() {
  return document.activeElement?.closest("[data-triage] tbody tr");
}

function go(row) {
  const link = row?.querySelector("th a");
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
}

function count() {
  const ticked = boxes().filter((box) => box.checked).length;
  form.querySelector("[data-ticked]").textContent = ticked ? `${ticked} ticked:` : "Ticked ones:";
  all.checked = ticked > 0 && ticked === boxes().length;
  all.indeterminate = ticked > 0 && !all.checked;
}

function tick(row) {
  const box = row?.querySelector("input[type=checkbox]");
  if (box) {
    box.checked = !box.checked;
    count();
  }
}

function tickAll() {
  const isTicked = !boxes().every((box) => box.checked);
  for (const box of boxes()) {
    box.checked = isTicked;
  }
  count();
}

/** Treat one row where it is; what was refused is shown by the page of the error. */
async function treat(row, button) {
  const box = row.querySelector("input[type=checkbox]");
  go(row.nextElementSibling ?? row);
  const state = row.querySelector("[data-state]");
  const body = new URLSearchParams({ [box.name]: box.value, [button.name]: button.value });
  const answer = await fetch(form.action, { method: "POST", body, redirect: "manual" });
  if (answer.type !== "opaqueredirect") {
    box.checked = true;
    form.requestSubmit(button);
    return;
  }
  state.textContent = button.value;
  row.classList.add("lines__treated");
}

function press(button) {
  const row = focused();
  if (boxes().some((box) => box.checked)) {
    form.requestSubmit(button);
  } else if (row) {
    treat(row, button);
  } else {
    go(table.querySelector("tbody tr"));
  }
}

function assign() {
  if (!boxes().some((box) => box.checked)) {
    tick(focused());
  }
  form.querySelector("[name=owner]").focus();
}

if (table && form) {
  all.hidden = false;
  all.addEventListener("click", () => {
    for (const box of boxes()) {
      box.checked = all.checked;
    }
    count();
  });
  table.addEventListener("change", count);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || (isTyping(event.target) && event.target.type !== "checkbox")) {
      return;
    }
    const actions = { x: () => tick(focused()), "*": tickAll, o: assign };
    const button = form.querySelector(`[data-triage-key="${CSS.escape(event.key)}"]`);
    const action = actions[event.key] ?? (button && (() => press(button)));
    if (action) {
      event.preventDefault();
      action();
    }
  });
}
