/**
 * plotly.js: loaded when somebody wants a plot, from where data-plotly says. Where it
 * has to be compiled, not before the page has been painted: its words can be read
 * meanwhile. Compiled at an earlier visit, it is read while the picture is made.
 */

const ADDRESS = document.querySelector("[data-plotly]")?.dataset.plotly;

let loading;

/** Load plotly.js, unless it is there. */
export function plotly() {
  loading ??= isKept() ? load() : painted().then(load);
  return loading;
}

/** Tell whether the browser has it from an earlier visit: nothing was transferred. */
function isKept() {
  const [preloaded] = performance.getEntriesByName(new URL(ADDRESS, location).href);
  return preloaded?.transferSize === 0;
}

/** Wait for the next picture of the page; nobody sees one of a page in the background. */
export function painted() {
  return new Promise((resolve) => {
    if (document.hidden) {
      resolve();
    } else {
      requestAnimationFrame(() => setTimeout(resolve));
    }
  });
}

function load() {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = ADDRESS;
    script.onload = resolve;
    script.onerror = () => reject(new Error("plotly.js did not load"));
    document.head.append(script);
  });
}
