/**
 * Room: how much of a figure its labels and its legend are going to take. plotly.js
 * finds the margins that they need, but draws everything once more where those that it
 * began with were too small: beginning with enough halves the time of drawing.
 */

/** Pixels beside the tick labels of an axis: ticks, its title, and what is between. */
const BESIDE = 42;

/** Pixels beyond the half of a label that stands at the right edge. */
const EDGE = 14;

/** What a tick label may be where plotly.js chooses the ticks. */
const USUAL = ["000 µs"];

/** Pixels between two tick labels. */
const APART = 6;

/**
 * A legend as plotly.js lays it out, in pixels: an entry beside its name, between two
 * entries, around all of them, and the least height of a row.
 */
const ENTRY = 41;
const BETWEEN = 5;
const AROUND = 22;
const LEAST = 16;
const BELOW = 3;

/** Height of a row with exponents, in font sizes. */
const ROW = 1.8;
const LINE = 1.3;

/** Return the margins, in pixels, that a painted figure of this size begins with. */
export function margins(data, layout, width, height) {
  const long = ruler(layout.font);
  const given = layout.margin;
  const left = titled(layout.yaxis)
    ? BESIDE + Math.max(...(layout.yaxis.ticktext ?? USUAL).map(long))
    : given.l;
  const last = layout.xaxis?.ticktext?.at(-1) ?? "";
  const right = Math.max(given.r, long(last) / 2 + EDGE);
  const { size } = layout.legend.font ?? layout.font;
  const row = ROW * size;
  const bottom = titled(layout.xaxis) ? BESIDE + row : given.b;
  const named = ruler({ ...layout.font, size });
  const names = entries(data, layout).map((trace) => named(trace.name));
  const rows = legendRows(names, layout.legend, width - left - right);
  const legend = AROUND + rows * (Math.max(LINE * size, LEAST) + BELOW);
  // It stands above the plot by a share of the plot's own height.
  const gap = (layout.legend.y - 1) * Math.max(height - bottom - legend, 0);
  return {
    ...given,
    b: bottom,
    l: Math.ceil(left),
    r: Math.ceil(right),
    t: rows ? Math.ceil(legend + gap) : row,
  };
}

/**
 * Return a logarithmic axis without the labels that would touch the one to their right;
 * the ticks stay, and what has no label is between its neighbours.
 */
export function spaced(axis, data, layout, width) {
  if (axis?.type !== "log" || !axis.ticktext) {
    return axis;
  }
  const long = ruler(layout.font);
  const [low, high] = extent(data.flatMap((trace) => [...(trace.x ?? [])]));
  const room = width - layout.margin.l - layout.margin.r;
  let free = Infinity;
  const ticktext = axis.ticktext.map((text, place) => {
    const at = (room * Math.log(axis.tickvals[place] / low)) / Math.log(high / low);
    return { at, half: long(text) / 2, text };
  });
  for (const label of ticktext.toReversed()) {
    if (label.at + label.half > free) {
      label.text = "";
    } else {
      free = label.at - label.half - APART;
    }
  }
  return { ...axis, ticktext: ticktext.map((label) => label.text) };
}

/**
 * Return a logarithmic axis upwards without the labels that would touch others: powers
 * of ten keep theirs first.
 */
export function spacedUpwards(axis, layout, height) {
  if (axis?.type !== "log" || !axis.ticktext || !axis.range) {
    return axis;
  }
  const [low, high] = axis.range;
  const room = height - layout.margin.t - layout.margin.b;
  const line = ROW * 0.8 * layout.font.size;
  const labels = axis.tickvals.map((value, place) => ({
    at: (room * (Math.log10(value) - low)) / (high - low),
    isRound: Number.isInteger(Number(Math.log10(value).toFixed(9))),
    place,
  }));
  const kept = [];
  for (const label of labels.toSorted((one, other) => other.isRound - one.isRound)) {
    if (kept.every(({ at }) => Math.abs(at - label.at) >= line)) {
      kept.push(label);
    }
  }
  const places = new Set(kept.map(({ place }) => place));
  const ticktext = axis.ticktext.map((text, place) => (places.has(place) ? text : ""));
  return { ...axis, ticktext };
}

/**
 * Return whether a legend of a figure as wide as this is shorter in two columns, and
 * holds all its names as they are.
 */
export function fitsColumns(data, layout, width) {
  const names = entries(data, layout).map((trace) => trace.name);
  const long = names.map(ruler(layout.legend.font ?? layout.font));
  return (
    legendRows(long, layout.legend, width - 2 * BESIDE) > 2 &&
    Math.max(...long) <= columnRoom(layout, width)
  );
}

/** Pixels of a name in one of two columns that begin where the figure does. */
function columnRoom(layout, width) {
  return (width - layout.margin.r - AROUND) / 2 - ENTRY;
}

/** Return a legend in columns from the left edge of the figure on, not of the plot. */
export function fromEdge(legend, margin, width) {
  return { ...legend, x: -margin.l / (width - margin.l - margin.r) };
}

/** The letters of a name that stay, so many of them: its end, its beginning, or both. */
const KEPT = [
  (name, letters) => `…${name.slice(-letters)}`,
  (name, letters) => `${name.slice(0, letters)}…`,
  (name, letters) => `${name.slice(0, Math.ceil(letters / 2))}…${name.slice(-(letters >> 1))}`,
];

/**
 * Return traces whose names fit in one of two columns of a legend as wide as this. Their
 * ends stay, or what tells more of them apart.
 */
export function shortened(data, layout, width) {
  const long = ruler(layout.legend.font ?? layout.font);
  const room = columnRoom(layout, width);
  const whole = data.map(({ name = "" }) => name);
  const names = KEPT.map((keep) =>
    whole.map((name) => fitted(name, keep, (text) => long(text) <= room)),
  ).reduce((best, other) => (new Set(other).size > new Set(best).size ? other : best));
  return data.map((trace, place) =>
    names[place] === whole[place] ? trace : { ...trace, name: names[place] },
  );
}

/** Return as much of a name as fits; one with markup is short, and stays whole. */
function fitted(name, keep, fits) {
  let short = name;
  for (let letters = name.length - 1; letters > 3 && !fits(short); letters -= 1) {
    short = name.includes("<") ? name : keep(name, letters);
  }
  return short;
}

function extent(values) {
  const known = values.filter((value) => value > 0);
  return known.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, 0]);
}

/** Return a function from texts to their width in pixels. */
function ruler(font) {
  const write = document.createElement("canvas").getContext("2d");
  write.font = `${font.size}px ${font.family}`;
  return (text) => write.measureText(text.replaceAll(/<[^>]*>/g, "")).width;
}

function titled(axis) {
  return axis?.title?.text;
}

/** Return the traces that the legend names; one alone has none unless it asks for it. */
function entries(data, layout) {
  const listed = data.filter((trace) => trace.showlegend !== false && trace.name);
  const wanted = listed.length > 1 || listed.some((trace) => trace.showlegend);
  return wanted && layout.showlegend !== false ? listed : [];
}

/** A row holds all entries if they fit; otherwise they stand in columns, all equally wide. */
function legendRows(names, legend, width) {
  const wide = names.map((name) => name + ENTRY + BETWEEN);
  if (!wide.length || wide.reduce((sum, each) => sum + each) - BETWEEN < width) {
    return Math.min(wide.length, 1);
  }
  const columns = legend.entrywidth
    ? 1 / legend.entrywidth
    : (width + BETWEEN) / Math.max(...wide);
  return Math.ceil(wide.length / Math.max(1, Math.floor(columns)));
}
