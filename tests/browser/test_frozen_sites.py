"""Frozen sites in a browser: under a prefix of a web server, and by double click."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scalewatch.stores.store import Store
from support.axe import barriers
from support.sites import contents, publish
from support.stored import history, sha

COMMITS = 40
PAGES = (
    "index.html",
    "search/index.html",
    "glossary/index.html",
    "p/hydro/index.html",
    "p/hydro/view-table.html",
    f"p/hydro/c/{sha(COMMITS - 1)[:10]}/index.html",
    "p/hydro/r/kernel1/index.html",
    "p/hydro/history/index.html",
    "p/hydro/history/region-kernel1.html",
    "p/hydro/regressions/index.html",
    "p/hydro/regressions/1/index.html",
    "p/hydro/m/jureca/index.html",
    "p/hydro/cost/index.html",
    "p/hydro/scaling/index.html",
)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing of requests."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("web")
    Store.at(str(root / "store")).add(history(COMMITS, regions=2, steps={30: (1, 1.5)}))
    # The browser's loop of events runs in this thread.
    with ThreadPoolExecutor() as pool:
        out = root / "www" / "repo"
        done = pool.submit(publish, root / "store", out, "--commits", 4).result()
    assert done.exit_code == 0, done.output
    return root / "www"


@pytest.fixture(params=["http", "file"])
def base(request: pytest.FixtureRequest, folder: Path) -> Iterator[str]:
    """The address of the site, of either kind."""
    if request.param == "file":
        yield f"{(folder / 'repo').as_uri()}/"
        return
    handler = partial(Quiet, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/repo/"
        server.shutdown()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


def test_every_kind_of_page_draws_its_plots_and_says_nothing(page, base, complaints):
    complaints.listen(page)
    page.on("requestfailed", lambda request: complaints.texts.append(request.url))

    for name in PAGES:
        page.goto(base + name)
        expect(page.locator("[data-figure][aria-busy=true]")).to_have_count(0)
        figures = page.locator("[data-figure]")
        assert page.locator("[data-figure] .main-svg").count() == 3 * figures.count()
        assert page.locator(".figure__message:visible").count() == 0

    assert complaints.texts == []


def test_search_selects_filter_and_theme_work(page, base, complaints):
    complaints.listen(page)
    page.goto(f"{base}p/hydro/index.html")

    page.get_by_label("Filter regions").fill("kernel0")
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    page.get_by_role("button", name="Theme").click()
    page.get_by_label("Commit", exact=True).select_option(sha(COMMITS - 2)[:10])
    page.wait_for_url(f"**/commit-{sha(COMMITS - 2)[:10]}.html")
    assert page.locator("html").get_attribute("data-theme") == "light"
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search").fill("kernel1")
    page.get_by_role("option", name="kernel1").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("kernel1")

    assert complaints.texts == []


def test_a_point_of_a_history_opens_its_commit(page, base):
    page.goto(f"{base}p/hydro/history/region-kernel1.html")
    plot = page.locator("[data-opens]")
    expect(plot).to_have_attribute("aria-busy", "false")

    plot.focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_contain_text(sha(COMMITS - 1)[:10])


def test_pages_are_accessible(page, base):
    for name in PAGES:
        page.goto(base + name)
        expect(page.locator("[data-figure][aria-busy=true]")).to_have_count(0)
        assert [*barriers(page)] == [], name


def test_the_pages_looked_at_are_those_of_the_site(folder):
    assert set(PAGES) <= contents(folder / "repo").keys()
