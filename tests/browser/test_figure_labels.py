"""Every label of every figure of the project of real size is whole and alone."""

from itertools import product

import pytest
from playwright.sync_api import Page, expect

REGION = "mesh%3A%3Afind_neighbours"
PAGES = (
    f"/p/hydro/r/{REGION}?machine=juwels&target=65536",
    f"/p/hydro/scaling/contours?region={REGION}",
    f"/p/hydro/history?region={REGION}&machine=juwels",
    "/p/hydro/compare/juwels...lumi",
    "/p/hydro/regressions/1",
    "/p/hydro/cost?machine=supermuc&target=65536",
)
"""One of each kind of figure."""

FURTHER = (
    f"/p/hydro/r/{REGION}",
    "/p/hydro/r/hydro%3A%3Ariemann?machine=lumi",
    "/p/hydro/r/hydro%3A%3Aadvance?machine=lumi&metric=memory",
    f"/p/hydro/scaling/contours?region={REGION}&quantity=error&kind=strong",
    f"/p/hydro/embed/scaling?region={REGION}&machine=juwels",
)
"""The same kinds once more, for the long form."""

USUAL = [(360, "dark")]
"""Where most is clipped; both widths and both themes are for the long form."""

FAULTS = """() => {
  const faults = [];
  const touches = (a, b) => a.left < b.right - 1 && b.left < a.right - 1
    && a.top < b.bottom - 1 && b.top < a.bottom - 1;
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const room = plot.getBoundingClientRect();
    const { h } = plot._fullLayout._size;
    if (h < LEAST * room.height) {
      faults.push(`of ${room.height} pixels ${Math.round(h)} are left to the plot`);
    }
    const names = [...plot.querySelectorAll(".legendtext")];
    const columns = new Set(names.map((name) => name.getBoundingClientRect().left));
    if (names.length > 5 && columns.size === 1) {
      faults.push(`${names.length} names in one column`);
    }
    const texts = (kind) => [...plot.querySelectorAll(kind)]
      .filter((text) => text.textContent.trim())
      .map((text) => ({ name: text.textContent, box: text.getBoundingClientRect() }));
    const titles = ".g-xtitle text, .g-ytitle text";
    const all = `.xtick text, .ytick text, .legendtext, ${titles}`;
    for (const { name, box } of texts(all)) {
      if (box.left < room.left - 1 || box.right > room.right + 1
          || box.top < room.top - 1 || box.bottom > room.bottom + 1) {
        faults.push(`clipped: ${name}`);
      }
    }
    for (const kind of [".xtick text", ".ytick text", ".legendtext", titles]) {
      const alike = texts(kind);
      alike.forEach((one, at) => {
        for (const other of alike.slice(at + 1)) {
          if (touches(one.box, other.box)) {
            faults.push(`overlap: ${one.name} and ${other.name}`);
          }
        }
      });
    }
  }
  return faults;
}""".replace("LEAST", "0.4")


@pytest.mark.parametrize(
    "path",
    [*PAGES, *(pytest.param(each, marks=pytest.mark.thorough) for each in FURTHER)],
)
def test_no_label_of_a_figure_is_clipped_or_lies_on_another(
    large_page: Page, path: str, thorough
):
    looks = list(product((1440, 360), ("light", "dark"))) if thorough else USUAL
    found = []
    for width, theme in looks:
        large_page.emulate_media(color_scheme=theme)
        large_page.set_viewport_size({"width": width, "height": 900})
        large_page.goto(path)
        busy = large_page.locator("[data-figure][aria-busy=true]:visible")
        expect(busy).to_have_count(0)
        found += [(width, theme, fault) for fault in large_page.evaluate(FAULTS)]

    assert found == []
