/**
 * Preview: <form data-preview="<page>"> shows, while somebody types, what that page says
 * of what is entered: #preview and the faults beside the fields; and the figure that the
 * page brings takes the place of the first one here. Nothing is declared by it.
 */

import { showFigureOf } from "./figure.js";

const PAUSE = 350;

/** The fields that change what is previewed. */
const FIELDS = ["growth", "deviation_limit"];

function place(form) {
  const known = document.getElementById("preview");
  if (known) {
    return known;
  }
  const made = document.createElement("section");
  made.id = "preview";
  form.before(made);
  return made;
}

function showFaults(form, page) {
  for (const field of FIELDS) {
    const said = page.getElementById(`${field}-fault`);
    const here = document.getElementById(`${field}-fault`);
    here.textContent = said.textContent;
    here.hidden = said.hidden;
    form.elements[field].ariaInvalid = String(!said.hidden);
  }
}

export async function preview(form, signal) {
  const address = new URL(form.dataset.preview, location.href);
  address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
  const shown = place(form);
  shown.ariaBusy = "true";
  const response = await fetch(address, { signal });
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const told = page.getElementById("preview");
  if (told) {
    showFaults(form, page);
    shown.replaceWith(told);
    await showFigureOf(page);
  }
  shown.ariaBusy = "false";
}

for (const form of document.querySelectorAll("[data-preview]")) {
  let pending;
  let asked = new AbortController();
  const ask = () => {
    asked.abort();
    asked = new AbortController();
    preview(form, asked.signal).catch((error) => {
      if (error.name !== "AbortError") {
        throw error;
      }
    });
  };
  for (const field of FIELDS) {
    form.elements[field].addEventListener("input", () => {
      clearTimeout(pending);
      pending = setTimeout(ask, PAUSE);
    });
  }
}
