/**
 * Figures: every element with data-figure="<url>" shows the Plotly figure that the
 * API returns there, or that the page has brought as data-drawn="<figure>". A trace
 * is painted by its role, which is its `meta`, with the colour that the style sheet
 * gives that role in the theme in force.
 */

import { paint } from "./paint.js";
import { painted, plotly } from "./plotly.js";
import { openPoints } from "./points.js";

const CONFIG = {
  displaylogo: false,
  modeBarButtonsToRemove: ["autoScale2d", "lasso2d", "select2d", "zoomIn2d", "zoomOut2d"],
  responsive: true,
};

/** What can be saved of a figure, by the name of the button. */
const PICTURES = ["svg", "png"];

/** What each element shows, to be painted again in another theme. */
const shown = new Map();

/** Draw the figure of an element, in place of what it showed before. */
export async function showFigure(element) {
  element.ariaBusy = "true";
  if (!element.nextElementSibling?.matches(".figure__exports")) {
    offer(element);
  }
  try {
    const [figure] = await Promise.all([figureOf(element), plotly(), painted()]);
    shown.set(element, figure);
    await draw(element);
    openPoints(element);
  } catch (error) {
    element.append(message(`The plot could not be drawn: ${error.message}.`));
  } finally {
    element.ariaBusy = "false";
  }
}

/** Return the figure that the page has brought for an element, or ask for it. */
async function figureOf(element) {
  const { drawn } = element.dataset;
  if (drawn) {
    delete element.dataset.drawn;
    return JSON.parse(drawn);
  }
  const response = await fetch(element.dataset.figure);
  if (!response.ok) {
    throw new Error(`the server answered ${response.status}`);
  }
  return response.json();
}

/** Offer the figure for download, and for other pages to embed. */
function offer(element) {
  const exports = document.createElement("p");
  exports.className = "links figure__exports";
  for (const format of PICTURES) {
    const button = document.createElement("button");
    button.className = "button button--plain";
    button.type = "button";
    button.textContent = format.toUpperCase();
    button.addEventListener("click", () =>
      window.Plotly.downloadImage(element, { filename: element.dataset.name, format }),
    );
    exports.append(button);
  }
  if (element.dataset.figure) {
    exports.append(link("Data", element.dataset.figure));
  }
  if (element.dataset.embed) {
    exports.append(link("Embed", element.dataset.embed));
  }
  element.after(exports);
}

function link(text, address) {
  const anchor = document.createElement("a");
  anchor.href = address;
  anchor.textContent = text;
  return anchor;
}

function draw(element) {
  return window.Plotly.react(element, ...paint(shown.get(element), element), {
    ...CONFIG,
    toImageButtonOptions: { filename: element.dataset.name, format: "svg" },
  });
}

function repaint() {
  [...shown.keys()].forEach(draw);
}

document.addEventListener("themechange", repaint);
for (const media of ["(prefers-color-scheme: dark)", "print"]) {
  matchMedia(media).addEventListener("change", repaint);
}

function message(text) {
  const paragraph = document.createElement("p");
  paragraph.className = "figure__message";
  paragraph.role = "alert";
  const isAlone = document.body.classList.contains("embedded");
  const elsewhere = isAlone ? "" : " The tables below hold the same numbers.";
  paragraph.textContent = text + elsewhere;
  return paragraph;
}

/** Draw what is in view, then the others one by one, so that nobody waits for those. */
async function showAll(elements) {
  const { seen = [], others = [] } = Object.groupBy(elements, (each) =>
    isInView(each) ? "seen" : "others",
  );
  await Promise.all(seen.map(showFigure));
  for (const element of others) {
    await showFigure(element);
  }
}

function isInView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** What belongs to an expanded row is drawn by expand.js. */
showAll(document.querySelectorAll("[data-figure]:not([data-expansion] *)"));
