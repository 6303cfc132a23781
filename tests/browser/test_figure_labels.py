"""Every label of every figure of the project of real size is whole and alone."""

import struct
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
    const legend = plot.querySelector(".legend")?.getBoundingClientRect();
    const area = plot.querySelector(".bglayer, .plot").getBoundingClientRect();
    if (legend?.height && touches(legend, area)) {
      faults.push("the legend lies on the plot");
    }
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
    const ticked = plot._fullLayout.xaxis.visible !== false;
    if (ticked && !(texts(".xtick text").length && texts(".ytick text").length)) {
      faults.push("an axis has no ticks");
    }
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


SHEET = {"width": 680, "height": 1010}
"""Pixels of a sheet of A4 between margins of 15 mm."""


@pytest.mark.parametrize("path", [*PAGES, "/p/hydro/scaling"])
def test_printed_figures_keep_all_axes_with_their_labels(large_page: Page, path: str):
    large_page.set_viewport_size({"width": 1440, "height": 900})
    large_page.goto(path)
    expect(large_page.locator("[data-figure][aria-busy=true]")).to_have_count(0)

    large_page.evaluate("dispatchEvent(new Event('beforeprint'))")
    large_page.wait_for_function(DRAWN_FOR_PAPER)
    large_page.emulate_media(media="print")
    large_page.set_viewport_size(SHEET)

    assert large_page.evaluate(FAULTS) == []
    assert large_page.evaluate(BEYOND_THE_SHEET) == []
    large_page.emulate_media(media="screen")
    large_page.set_viewport_size({"width": 1440, "height": 900})
    large_page.evaluate("dispatchEvent(new Event('afterprint'))")
    large_page.wait_for_function(DRAWN_FOR_SCREEN)
    assert large_page.evaluate(FAULTS) == []


DRAWN_FOR_PAPER = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .every((plot) => plot._fullLayout.width === 680)"""

DRAWN_FOR_SCREEN = """() => [...document.querySelectorAll(".js-plotly-plot")]
  .every((plot) => Math.abs(plot._fullLayout.width - plot.clientWidth) < 1)"""

BEYOND_THE_SHEET = """() => [...document.querySelectorAll("body *")]
  .filter((each) => each.checkVisibility())
  .filter((each) => !each.closest(".visually-hidden, caption"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1)
  .map((each) => each.outerHTML.slice(0, 80))"""


def test_a_figure_is_saved_as_png_for_print(large_page: Page):
    large_page.goto(PAGES[0])
    expect(large_page.locator("[data-figure][aria-busy=true]")).to_have_count(0)
    figure = large_page.get_by_role("figure").first

    figure.get_by_text("Export").click()
    with large_page.expect_download() as saved:
        figure.get_by_role("button", name="PNG").click()

    content = saved.value.path().read_bytes()
    width, height = struct.unpack(">II", content[16:24])
    assert saved.value.suggested_filename.endswith(".png")
    assert content.startswith(b"\x89PNG")
    # 160 mm at 300 dots per inch.
    assert abs(width - 160 / 25.4 * 300) < 2
    assert height > 600
