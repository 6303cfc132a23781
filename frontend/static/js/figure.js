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
  modeBarButtonsToRemove: ["autoScale2d", "lasso2d", "select2d", "toImage", "zoomIn2d", "zoomOut2d"],
  responsive: true,
};

/** Pixels of a sheet of A4 between its margins. */
const PAPER = 680;

/** Dots per inch of a picture in print, and as browsers count them. */
const [PRINTED, SHOWN] = [300, 96];

/** What each element shows, to be painted again in another theme. */
const shown = new Map();

/** Draw the figure of an element, in place of what it showed before. */
export async function showFigure(element) {
  element.ariaBusy = "true";
  element.parentElement.querySelector("[data-png]")?.removeAttribute("hidden");
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

/** Draw the figure of another page in place of the one of this page. */
export async function showFigureOf(page) {
  const [figure, drawn] = [document, page].map((each) => each.querySelector("[data-figure]"));
  if (figure && drawn) {
    Object.assign(figure.dataset, drawn.dataset);
    figure.parentElement.replaceChildren(figure, ...[...drawn.parentElement.children].slice(1));
    await showFigure(figure);
  }
}

/** Save the picture beside a button as PNG, large enough for print. */
async function savePicture(button) {
  const picture = new Image();
  picture.src = button.previousElementSibling.href;
  await picture.decode();
  const canvas = document.createElement("canvas");
  canvas.width = (picture.naturalWidth * PRINTED) / SHOWN;
  canvas.height = (picture.naturalHeight * PRINTED) / SHOWN;
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const link = document.createElement("a");
  link.href = canvas.toDataURL("image/png");
  link.download = button.dataset.png;
  link.click();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-png]");
  if (button) {
    savePicture(button);
  }
});

/** A text to copy is chosen whole. */
document.addEventListener("focusin", (event) => {
  if (event.target.matches(".figure__menu input")) {
    event.target.select();
  }
});

async function draw(element, size = {}) {
  const [data, layout] = paint(shown.get(element), element);
  await window.Plotly.react(element, data, { ...layout, ...size }, CONFIG);
}

function repaint() {
  [...shown.keys()].forEach((element) => draw(element));
}

/** Draw what is shown as wide as a sheet of A4, so that it fits with all its ticks. */
function drawForPaper() {
  for (const element of shown.keys()) {
    const height = element.clientHeight;
    element.style.inlineSize = `${PAPER}px`;
    element.style.setProperty("--figure-drawn", `${PAPER} / ${height}`);
    // Anew: a legend that changes its columns would stay where it was.
    window.Plotly.purge(element);
    draw(element, { width: PAPER, height });
    for (const picture of element.querySelectorAll(".main-svg")) {
      picture.setAttribute("viewBox", `0 0 ${PAPER} ${height}`);
    }
  }
}

function drawForScreen() {
  for (const element of shown.keys()) {
    element.style.removeProperty("inline-size");
    element.style.removeProperty("--figure-drawn");
    window.Plotly.purge(element);
    draw(element).then(() => openPoints(element));
  }
}

document.addEventListener("themechange", repaint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
addEventListener("beforeprint", drawForPaper);
addEventListener("afterprint", drawForScreen);

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
