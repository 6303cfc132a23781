/**
 * Points of a figure that lead to pages: in a plot with data-opens="<address of SHA>" the
 * points with an id open the page of that id; or data-opens is an object of pages by id. With the focus on the plot, arrows go from
 * point to point, Enter opens, and what a point tells is said as well as shown.
 */

const STEPS = { ArrowRight: 1, ArrowLeft: -1 };
const ENDS = { Home: 0, End: -1 };

/** Let points of a plot that was drawn, or drawn anew, lead to their pages. */
export function openPoints(element) {
  if (!element.dataset.opens) {
    return;
  }
  element.removeAllListeners("plotly_click");
  element.on("plotly_click", ({ points }) => open(element, points.find(({ id }) => id)?.id));
  if (!element.classList.contains("figure__plot--opens")) {
    element.classList.add("figure__plot--opens");
    element.addEventListener("mousedown", lookUp, { capture: true });
    walk(element);
  }
}

/**
 * Look up what is under the pointer as a button is pressed. Plotly does so up to 50 ms after
 * the pointer moved; by then the button is held, under which it finds nothing, and the click
 * would be lost. To unhover drops the late look, and has the next one done at once.
 */
function lookUp(event) {
  if (event.target.matches(".nsewdrag")) {
    window.Plotly.Fx.unhover(event.currentTarget);
    window.Plotly.Fx.hover(event.currentTarget, event);
  }
}

function open(element, id) {
  if (!id) {
    return;
  }
  const { opens } = element.dataset;
  const address = opens.startsWith("{")
    ? JSON.parse(opens)[id]
    : opens.replace("SHA", encodeURIComponent(id));
  if (!address) {
    return;
  }
  const asked = new CustomEvent("pointopen", {
    bubbles: true,
    cancelable: true,
    detail: { address },
  });
  if (element.dispatchEvent(asked)) {
    location.assign(address);
  }
}

/** Let the keyboard go from point to point. */
function walk(element) {
  const said = document.createElement("p");
  said.className = "visually-hidden";
  said.ariaLive = "polite";
  element.after(said);
  element.tabIndex = 0;
  element.role = "group";
  element.ariaLabel = "Commits: arrows go from one to the next, Enter opens it";
  let place;
  element.addEventListener("keydown", (event) => {
    const points = pointsOf(element);
    const next = nextPlace(event.key, place, points.length);
    if (next !== undefined) {
      place = next;
      event.preventDefault();
      said.textContent = tell(element, points[place]);
    } else if (event.key === "Enter" && points[place]) {
      open(element, points[place].id);
    } else if (event.key === "Escape") {
      window.Plotly.Fx.unhover(element);
    }
  });
  element.addEventListener("blur", () => window.Plotly.Fx.unhover(element));
}

/** Return where a key leads from a place; the newest point is the first one. */
function nextPlace(key, place, number) {
  if (number && key in ENDS) {
    return (ENDS[key] + number) % number;
  }
  if (number && key in STEPS) {
    return Math.min(Math.max((place ?? number - (STEPS[key] > 0)) + STEPS[key], 0), number - 1);
  }
  return undefined;
}

/** Return the points that have an id, as plotly numbers them, from left to right. */
function pointsOf(element) {
  return element.data.flatMap((trace, curveNumber) =>
    [...(trace.ids ?? [])].map((id, pointNumber) => ({ id, curveNumber, pointNumber })),
  );
}

/** Show what a point tells, and return it as text. */
function tell(element, { curveNumber, pointNumber }) {
  const trace = element.data[curveNumber];
  window.Plotly.Fx.hover(element, [{ curveNumber, pointNumber }]);
  const words = new DOMParser().parseFromString(
    trace.text[pointNumber].replaceAll("<br>", ", "),
    "text/html",
  );
  return words.body.textContent;
}
