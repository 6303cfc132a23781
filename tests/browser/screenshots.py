"""`make screenshots`: a picture of every page, light and dark, wide and narrow.

Without --url it shows the project of real size that the tests use; with it, the newest
commit of a project on a server that runs, such as that of `make demo`.
"""

import argparse
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import uvicorn
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from scalewatch.app import create_app
from scalewatch.storage.database.session import connect
from support.addresses import large_examples, page_addresses
from support.chromium import QUIET, chromium
from support.large_database import large_database

WIDTHS: Final = {"wide": 1400, "narrow": 360}
THEMES: Final = ("light", "dark")


def main() -> None:
    """Write the pictures that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", help="address of a server; the large project if none")
    parser.add_argument("--out", type=Path, default=Path("screenshots"))
    parser.add_argument("paths", nargs="*", help="paths of pages; all if none")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(playwright), args=list(QUIET)
        )
        if asked.url:
            take(browser, asked.url, asked.paths or ["/"], asked.out)
        else:
            with large_site() as (site, paths):
                take(browser, site, asked.paths or paths, asked.out)
        browser.close()


def take(browser: Browser, site: str, paths: list[str], out: Path) -> None:
    """Take the pictures of pages, named after their paths."""
    for theme in THEMES:
        for width, pixels in WIDTHS.items():
            context = browser.new_context(
                base_url=site,
                color_scheme=theme,
                viewport={"width": pixels, "height": 900},
            )
            page = context.new_page()
            for path in paths:
                page.goto(path, wait_until="networkidle")
                name = re.sub(r"[^A-Za-z0-9]+", "-", path).strip("-") or "home"
                picture = out / f"{name[:80]}-{theme}-{width}.png"
                page.screenshot(path=picture, full_page=True)
                print(picture)  # noqa: T201 - what was written
            context.close()


@contextmanager
def large_site() -> Iterator[tuple[str, list[str]]]:
    """Serve the project of real size, and name its pages."""
    engine = connect(f"sqlite:///{large_database()}")
    app = create_app(engine, embedded_worker=False)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    host, port = server.servers[0].sockets[0].getsockname()
    try:
        paths = list(page_addresses(large_examples(TestClient(app))))
        yield f"http://{host}:{port}", paths
    finally:
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    main()
