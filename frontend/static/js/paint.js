/**
 * Paint: gives a figure the colours of the theme in force, by role. The roles are
 * the custom properties --figure-* of tokens.css.
 */

/** Return data and layout of `figure` in the colours that `element` sees. */
export function paint(figure, element) {
  const colour = resolver(element);
  return [
    figure.data.map((trace) => paintTrace(trace, colour(trace.meta))),
    paintLayout(figure.layout, colour, getComputedStyle(element).fontFamily),
  ];
}

function paintTrace(trace, colour) {
  const painted = { ...trace };
  for (const part of ["line", "marker", "error_y"]) {
    if (trace[part]) {
      painted[part] = { ...trace[part], color: colour };
    }
  }
  if (trace.fillcolor) {
    painted.fillcolor = colour;
  }
  return painted;
}

function paintLayout(layout, colour, family) {
  const lines = {
    gridcolor: colour("grid"),
    linecolor: colour("grid"),
    tickcolor: colour("grid"),
  };
  return {
    ...layout,
    font: { ...layout.font, color: colour("quiet"), family },
    hoverlabel: {
      ...layout.hoverlabel,
      bgcolor: colour("surface"),
      bordercolor: colour("grid"),
      font: { color: colour("ink"), family },
    },
    modebar: { activecolor: colour("ink"), bgcolor: "rgba(0,0,0,0)", color: colour("quiet") },
    xaxis: { ...layout.xaxis, ...lines },
    yaxis: { ...layout.yaxis, ...lines },
  };
}

/** Return a function from roles to colours, as the browser computes them. */
function resolver(element) {
  const probe = document.createElement("span");
  return (role) => {
    probe.style.color = `var(--figure-${role})`;
    element.append(probe);
    const computed = getComputedStyle(probe).color;
    probe.remove();
    return computed;
  };
}
