/**
 * Palette: <a data-palette href="<search page>"> opens a dialog that asks that page for
 * what contains the words typed, as JSON; Ctrl-K opens it everywhere. Arrows choose, Enter
 * goes there, Escape closes it. Without this script the link leads to the page itself.
 */

const PAUSE = 120; // milliseconds in which somebody goes on typing

const link = document.querySelector("[data-palette]");
let parts;
let timer;
let asked = 0;

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** Make the dialog when it is wanted first. */
function build() {
  const input = element("input", {
    type: "text",
    className: "palette__input",
    autocomplete: "off",
    spellcheck: false,
    maxLength: 200,
    placeholder: "Region, machine, commit, page, regression",
    ariaLabel: "Search",
  });
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-controls", "palette-hits");
  input.setAttribute("aria-expanded", "false");
  const hits = element("div", { id: "palette-hits", className: "palette__hits", ariaLabel: "Found" });
  hits.setAttribute("role", "listbox");
  const note = element("p", { className: "palette__note quiet small" });
  note.setAttribute("role", "status");
  const dialog = element("dialog", { className: "palette", ariaLabel: "Search everything" }, input, hits, note);
  document.body.append(dialog);
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, PAUSE);
  });
  dialog.addEventListener("keydown", steer);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  hits.addEventListener("pointermove", ({ target }) => choose(target.closest("[role=option]")));
  return { dialog, input, hits, note };
}

function open() {
  parts ??= build();
  if (!parts.dialog.open) {
    parts.dialog.showModal();
  }
  parts.input.select();
}

async function ask() {
  const { input, hits, note } = parts;
  const number = ++asked;
  const text = input.value.trim();
  if (!text) {
    hits.replaceChildren();
    note.textContent = "";
    return;
  }
  const address = new URL(link.href);
  address.searchParams.set("q", text);
  address.searchParams.set("format", "json");
  const response = await fetch(address).catch(() => undefined);
  if (number !== asked) {
    return; // somebody has typed on meanwhile
  }
  if (!response?.ok) {
    note.textContent = "The server did not answer.";
    return;
  }
  show(await response.json());
}

function show(found) {
  const { input, hits, note } = parts;
  let kind;
  const rows = [];
  for (const [place, hit] of found.entries()) {
    if (hit.kind !== kind) {
      kind = hit.kind;
      const heading = element("div", { className: "palette__kind", textContent: kind });
      heading.setAttribute("role", "presentation");
      rows.push(heading);
    }
    rows.push(row(hit, place));
  }
  hits.replaceChildren(...rows);
  input.setAttribute("aria-expanded", String(found.length > 0));
  note.textContent = found.length ? "" : `Nothing contains “${input.value.trim()}”.`;
  choose(hits.querySelector("[role=option]"));
}

function row(hit, place) {
  const option = element("a", {
    id: `palette-hit-${place}`,
    className: "palette__hit",
    href: hit.path,
    tabIndex: -1,
  });
  option.setAttribute("role", "option");
  option.setAttribute("aria-selected", "false");
  option.append(element("bdi", { textContent: hit.name }));
  if (hit.detail) {
    option.append(element("span", { className: "quiet small", textContent: hit.detail }));
  }
  return option;
}

function choose(option) {
  if (!option) {
    return;
  }
  for (const other of parts.hits.querySelectorAll("[aria-selected=true]")) {
    other.setAttribute("aria-selected", "false");
  }
  option.setAttribute("aria-selected", "true");
  parts.input.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

function steer(event) {
  const options = [...parts.hits.querySelectorAll("[role=option]")];
  const place = options.findIndex((each) => each.ariaSelected === "true");
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step && options.length) {
    event.preventDefault();
    choose(options[(place + step + options.length) % options.length]);
  } else if (event.key === "Enter") {
    event.preventDefault();
    options[place]?.click();
  }
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
