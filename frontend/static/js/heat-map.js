/**
 * Heat maps: in <div data-heat-map data-plots="<url>"> one cell is in the order of the
 * Tab key, arrows go to its neighbours and to the names of regions and machines, and the
 * cell under the pointer or with the focus shows its words and a small plot beside it,
 * until Escape. Filtered rows are skipped.
 */

const PAUSE = 90; // milliseconds: a pointer that passes by asks for nothing
const LINKS = ".heat-map__table a";
const SVG = "http://www.w3.org/2000/svg";

const STEPS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Return the links of the rows that are shown, row by row, those of their heads, too. */
function grid(map) {
  const rows = [...map.querySelectorAll("tr:not([hidden])")];
  return rows.map((row) => [...row.cells].map((cell) => cell.querySelector("a")));
}

/** Return the next link in a direction, if there is one. */
function neighbour(map, link, [down, right]) {
  const rows = grid(map);
  let row = rows.findIndex((cells) => cells.includes(link));
  let column = rows[row]?.indexOf(link);
  do {
    row += down;
    column += right;
    if (rows[row]?.[column]) {
      return rows[row][column];
    }
  } while (row >= 0 && row < rows.length && column >= 0 && column < rows[row].length);
  return undefined;
}

/** Make one link the one that the Tab key reaches. */
function choose(map, link) {
  for (const other of map.querySelectorAll(`${LINKS}:not([tabindex='-1'])`)) {
    other.tabIndex = -1;
  }
  link.tabIndex = 0;
}

/** Let the Tab key reach the first cell that is shown. */
function chooseFirst(map) {
  const first = grid(map).flat().find((link) => link?.matches(".heat"));
  if (first) {
    choose(map, first);
  }
}

function namesOf(link) {
  const row = link.closest("tr");
  const machine = new URL(link.href).searchParams.get("machine");
  return { region: row.dataset.filterText, machine };
}

/** Return the address of the small plot of a cell. */
function plotOf(map, link) {
  const address = new URL(map.dataset.plots, location.href);
  for (const [name, value] of new URL(link.href).searchParams) {
    address.searchParams.append(name, value);
  }
  address.searchParams.set("region", namesOf(link).region);
  return `${address.pathname}${address.search}#plot`;
}

function fill(peek, map, link) {
  const { region, machine } = namesOf(link);
  const title = document.createElement("p");
  const name = document.createElement("strong");
  name.textContent = region;
  title.append(name, machine ? ` on ${machine}` : "");
  const words = document.createElement("p");
  words.textContent = link.ariaLabel;
  if (!map.dataset.plots) {
    peek.replaceChildren(title, words); // nobody draws the plot
    return;
  }
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 260 150");
  picture.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", plotOf(map, link));
  picture.append(use);
  peek.replaceChildren(title, words, picture);
}

/** Put what is shown below a cell, or above it, and inside of the map's width. */
function place(peek, map, link) {
  const own = link.getBoundingClientRect();
  const whole = map.getBoundingClientRect();
  const left = Math.min(own.right - whole.left + 6, whole.width - peek.offsetWidth);
  peek.style.insetInlineStart = `${Math.max(0, left)}px`;
  const isLow = own.bottom + peek.offsetHeight + 12 > innerHeight;
  const top = isLow ? own.top - whole.top - peek.offsetHeight - 6 : own.bottom - whole.top + 6;
  peek.style.insetBlockStart = `${top}px`;
}

function watch(map) {
  chooseFirst(map);
  document.addEventListener("input", () => chooseFirst(map));
  const peek = document.createElement("div");
  peek.className = "heat-peek";
  peek.hidden = true;
  map.append(peek);
  let timer;

  function show(link) {
    clearTimeout(timer);
    timer = setTimeout(() => {
      fill(peek, map, link);
      peek.hidden = false;
      place(peek, map, link);
    }, PAUSE);
  }

  function hide() {
    clearTimeout(timer);
    timer = setTimeout(() => (peek.hidden = true), PAUSE);
  }

  map.addEventListener("pointerover", ({ target, pointerType }) => {
    const link = target.closest(".heat");
    if (link && pointerType !== "touch") {
      show(link);
    } else if (target.closest(".heat-peek")) {
      clearTimeout(timer);
    } else {
      hide();
    }
  });
  map.addEventListener("pointerleave", hide);
  map.addEventListener("focusin", ({ target }) => {
    const link = target.closest(LINKS);
    if (link) {
      choose(map, link);
      if (link.matches(".heat:focus-visible")) {
        show(link);
      }
    }
  });
  map.addEventListener("focusout", hide);
  map.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !peek.hidden) {
      clearTimeout(timer);
      peek.hidden = true;
      event.stopPropagation();
    }
    const step = STEPS[event.key];
    const link = step && event.target.closest(LINKS);
    if (link) {
      event.preventDefault();
      neighbour(map, link, step)?.focus({ focusVisible: true });
    }
  });
}

for (const map of document.querySelectorAll("[data-heat-map]")) {
  watch(map);
}
