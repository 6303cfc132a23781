/**
 * Hovers: values are written as on the page, `374 µs`. Plotly's own format puts no space
 * between a number and the prefix of its unit.
 */

/** A value in a hover's template, with its digits and its unit. */
const VALUE = /%\{(?:y|customdata\[(\d+)\]):\.(\d)s\}(s|B|flop)/g;

/** Powers of a thousand that suit a unit, from and to. */
const POWERS = { B: [0, 3], flop: [0, 3], s: [-4, 0] };

const PREFIXES = { "-1": "m", "-2": "µ", "-3": "n", "-4": "p", 0: "", 1: "k", 2: "M", 3: "G" };

/** Places of a whole number that have a multiple of three digits behind them. */
const THOUSANDS = /\B(?=(\d{3})+$)/g;

/** Return a trace whose hover has the values in words, beside those that it brought. */
export function spelled(trace) {
  const values = [...(trace.hovertemplate ?? "").matchAll(VALUE)];
  if (!values.length) {
    return trace;
  }
  const given = trace.customdata ?? [];
  const customdata = [...trace.y].map((y, place) => {
    const own = given[place] ?? [];
    const words = values.map(([, column, digits, unit]) =>
      quantity(column === undefined ? y : own[column], Number(digits), unit),
    );
    return [...own, ...words];
  });
  let column = given[0]?.length ?? 0;
  const hovertemplate = trace.hovertemplate.replaceAll(VALUE, () => `%{customdata[${column++}]}`);
  return { ...trace, customdata, hovertemplate };
}

/** Write a value with its unit: `374 µs`, `1.20 ms`. */
function quantity(value, digits, unit) {
  if (value === null || value === undefined || Number.isNaN(value)) {
    return "–";
  }
  const [least, most] = POWERS[unit];
  const exponent = value ? Number(value.toExponential(digits - 1).split("e")[1]) : 0;
  const power = value ? Math.min(Math.max(Math.floor(exponent / 3), least), most) : 0;
  const decimals = Math.min(Math.max(digits - 1 - (exponent - 3 * power), 0), 20);
  return `${grouped(value / 1000 ** power, decimals)} ${PREFIXES[power]}${unit}`;
}

/** Write a number in digits; the first form that Intl makes would take 10 ms of a plot. */
function grouped(number, decimals) {
  const [whole, ...fraction] = number.toFixed(decimals).replace("-", "−").split(".");
  return [whole.replaceAll(THOUSANDS, ","), ...fraction].join(".");
}
