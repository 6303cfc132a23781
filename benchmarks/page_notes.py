"""JavaScript by which a page notes what it does while it loads."""

from typing import Final

WATCH: Final = """
window.seen = {shift: 0, plots: null, longest: 0};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.seen.shift += entry.value;
  }
}).observe({type: "layout-shift", buffered: true});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    window.seen.longest = Math.max(window.seen.longest, entry.duration);
  }
}).observe({type: "longtask", buffered: true});
const isInView = (each) => {
  const { top, bottom } = each.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};
const look = () => {
  const figures = [...document.querySelectorAll("[data-figure]")];
  const seen = figures.filter(isInView);
  const wanted = seen.length ? seen : figures;
  if (wanted.length && wanted.every((each) => each.querySelector(".main-svg"))) {
    window.seen.plots = performance.now();
  } else {
    requestAnimationFrame(look);
  }
};
document.addEventListener("DOMContentLoaded", look);
"""
"""What a page notes about itself while it loads."""

REPORT: Final = """
() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  const [page] = performance.getEntriesByType("navigation");
  const files = performance.getEntriesByType("resource");
  const own = files.filter((each) => !each.name.includes("plotly"));
  return {
    ...window.seen,
    hasPlots: Boolean(document.querySelector("[data-figure]")),
    content: paint ? paint.startTime : null,
    bytes: own.reduce((sum, each) => sum + each.transferSize, page.transferSize),
  };
}
"""

DRAWN: Final = """
() => window.seen.plots !== null || !document.querySelector("[data-figure]")
"""
