/**
 * Paint: gives a figure the colours of the theme in force, by role, and the room that
 * its words take. The roles are the custom properties --figure-* of tokens.css.
 */

import { spelled } from "./hover.js";
import { fitsColumns, fromEdge, margins, shortened, spaced, spacedUpwards } from "./room.js";

/** Roles of the colours of a negative value, where there is one, of 0, of a positive one. */
const SIGNED = ["below", "surface", "above"];

/** What fills a shape that is hollow: the light surface. */
const HOLLOW = "#ffffff";

/** Colours of shares, the same in both themes. */
const SEQUENTIAL = "Viridis";

/** Where more names than these share this many pixels, the legend would take all. */
const NARROW = 480;
const MANY = 6;

/** Legend, and names at the ends of lines, of a narrow figure. */
const SMALL = { font: { size: 10 } };
const BESIDE = 92;

/** Return data and layout of `figure` in the colours that `element` sees. */
export function paint(figure, element) {
  const colour = resolver(element);
  const layout = paintLayout(figure.layout, colour, getComputedStyle(element).fontFamily);
  const listed = figure.data.filter((trace) => trace.showlegend !== false);
  let { data } = figure;
  let isInColumns = false;
  if (element.clientWidth < NARROW) {
    layout.legend = { ...layout.legend, ...SMALL };
    layout.annotations = layout.annotations?.map((note) => ({ ...note, ...SMALL }));
    layout.margin = { ...layout.margin, r: Math.min(layout.margin.r, BESIDE) };
    data = listed.length > MANY ? shortened(data, layout, element.clientWidth) : data;
    isInColumns =
      listed.length > MANY || fitsColumns(data, layout, element.clientWidth);
    layout.legend = { ...layout.legend, ...(isInColumns ? IN_COLUMNS : {}) };
  }
  layout.margin = margins(data, layout, element.clientWidth, element.clientHeight);
  layout.legend = isInColumns
    ? fromEdge(layout.legend, layout.margin, element.clientWidth)
    : layout.legend;
  layout.xaxis = spaced(layout.xaxis, figure.data, layout, element.clientWidth);
  layout.yaxis = spacedUpwards(layout.yaxis, layout, element.clientHeight);
  return [data.map((trace) => paintTrace(spelled(trace), colour)), layout];
}

/** Entries side by side, however long the longest one is. */
const IN_COLUMNS = { entrywidth: 0.5, entrywidthmode: "fraction" };

function paintTrace(trace, colour) {
  if (trace.colorscale === SEQUENTIAL) {
    return trace;
  }
  const own = colour(trace.meta);
  const painted = { ...trace };
  for (const part of ["line", "marker", "error_y"]) {
    if (trace[part]) {
      painted[part] = { ...trace[part], color: own };
    }
  }
  if (trace.fillcolor) {
    painted.fillcolor = own;
  }
  if (trace.type === "contour") {
    const roles = SIGNED.slice(-trace.colorscale.length);
    painted.colorscale = trace.colorscale.map(([at], place) => [at, colour(roles[place])]);
    const labelfont = { ...trace.contours.labelfont, color: own };
    painted.contours = { ...trace.contours, labelfont };
  }
  return painted;
}

/** A shape has its role as its name, where it has one. */
function paintShape(shape, colour) {
  if (!shape.name) {
    return shape;
  }
  const own = colour(shape.name);
  const inside = shape.fillcolor === HOLLOW ? colour("surface") : own;
  const filled = shape.fillcolor ? { fillcolor: inside } : {};
  return { ...shape, ...filled, line: { ...shape.line, color: own } };
}

function paintLayout(layout, colour, family) {
  const lines = {
    gridcolor: colour("grid"),
    linecolor: colour("grid"),
    tickcolor: colour("grid"),
    zerolinecolor: colour("quiet"),
  };
  return {
    ...layout,
    annotations: layout.annotations?.map((note) => ({ ...note, arrowcolor: colour("quiet") })),
    font: { ...layout.font, color: colour("quiet"), family },
    hoverlabel: {
      ...layout.hoverlabel,
      bgcolor: colour("surface"),
      bordercolor: colour("grid"),
      font: { color: colour("ink"), family },
    },
    modebar: { activecolor: colour("ink"), bgcolor: "rgba(0,0,0,0)", color: colour("quiet") },
    shapes: layout.shapes?.map((shape) => paintShape(shape, colour)),
    xaxis: { ...layout.xaxis, ...lines },
    yaxis: { ...layout.yaxis, ...lines },
  };
}

/** Return a function from roles to colours, as the browser computes them. */
function resolver(element) {
  const known = new Map();
  const probe = document.createElement("span");
  return (role) => {
    if (!known.has(role)) {
      probe.style.color = `var(--figure-${role})`;
      element.append(probe);
      known.set(role, getComputedStyle(probe).color);
      probe.remove();
    }
    return known.get(role);
  };
}
