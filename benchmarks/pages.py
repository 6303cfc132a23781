"""How fast the pages are, on a project of real size: server, browser, wire, layout.

Server times are those of `scalewatch.app:served` in a process of its own, over HTTP on
this machine, one request at a time. The browser is the system's Chromium, headless:
cold with an empty cache, warm the second time in the same context.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx2
from benchmarks import options
from fastapi.testclient import TestClient
from playwright.sync_api import Browser, BrowserContext, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from addresses import large_examples, page_addresses
from chromium import QUIET, chromium
from large_database import large_database
from large_project import PROJECT
from scalewatch.app import create_app
from scalewatch.storage.session import connect

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
const look = () => {
  const figures = [...document.querySelectorAll("[data-figure]")];
  const drawn = figures.every((each) => each.querySelector(".main-svg"));
  if (figures.length && drawn) {
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
    content: paint ? paint.startTime : null,
    bytes: own.reduce((sum, each) => sum + each.transferSize, page.transferSize),
  };
}
"""

SETTLED: Final = 700
"""Milliseconds after loading in which a page may still move."""

SCROLLS: Final = 40


def main() -> None:
    """Print a row per page: server, first paint and plots, bytes, movement."""
    requests = options.series(100, 15)
    engine = connect(f"sqlite:///{large_database()}")
    client = TestClient(create_app(engine, embedded_worker=False))
    paths = list(page_addresses(large_examples(client)))
    engine.dispose()
    with server() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(playwright), args=list(QUIET)
        )
        print(
            "| page | server p50 | p99 | content cold | warm | plots cold | warm "
            "| kB | shift | longest task |"
        )
        print(f"|---|{'---:|' * 9}")
        for path in paths:
            print(row(browser, site, path, requests), flush=True)
        print(f"\nScrolling the history: {scrolled(browser, site)}")
        browser.close()


def row(browser: Browser, site: str, path: str, requests: int) -> str:
    """Measure one page."""
    half, most = server_times(site + path, requests)
    context = browser.new_context(base_url=site)
    context.add_init_script(WATCH)
    cold, warm = seen(context, path), seen(context, path)
    context.close()
    cells = [
        path.removeprefix(f"/p/{PROJECT}") or path,
        milliseconds(half),
        milliseconds(most),
        milliseconds(cold["content"]),
        milliseconds(warm["content"]),
        milliseconds(cold["plots"]),
        milliseconds(warm["plots"]),
        f"{cold['bytes'] / 1000:.0f}",
        f"{cold['shift']:.3f}",
        milliseconds(cold["longest"]),
    ]
    return f"| {' | '.join(cells)} |"


def server_times(url: str, requests: int) -> tuple[float, float]:
    """Return the median and the 99th percentile of a page's time, in milliseconds."""
    taken = []
    with httpx2.Client(follow_redirects=True) as client:
        client.get(url).raise_for_status()
        for _ in range(requests):
            started = time.perf_counter()
            client.get(url)
            taken.append((time.perf_counter() - started) * 1e3)
    taken.sort()
    return taken[len(taken) // 2], taken[min(len(taken) - 1, len(taken) * 99 // 100)]


def seen(context: BrowserContext, path: str) -> dict[str, Any]:
    """Load a page and return what it noted about itself."""
    page = context.new_page()
    page.goto(path, wait_until="networkidle")
    page.wait_for_timeout(SETTLED)
    found: dict[str, Any] = page.evaluate(REPORT)
    page.close()
    return found


def scrolled(browser: Browser, site: str) -> str:
    """Scroll through the history of all regions, and tell the longest task."""
    context = browser.new_context(base_url=site)
    context.add_init_script(WATCH)
    page = context.new_page()
    answer = page.goto(f"/p/{PROJECT}/history", wait_until="networkidle")
    if answer is None or not answer.ok:
        return "there is no such page"
    page.wait_for_timeout(SETTLED)
    page.evaluate("window.seen.longest = 0")
    for _ in range(SCROLLS):
        page.mouse.wheel(0, 600)
        page.wait_for_timeout(50)
    longest = page.evaluate("window.seen.longest")
    context.close()
    return f"longest task {milliseconds(longest)}"


def milliseconds(value: float | None) -> str:
    """Write a time; nothing where a page has no plots."""
    return "–" if value is None else f"{value:.0f} ms"


@contextmanager
def server() -> Iterator[str]:
    """Serve the project of real size by a process of its own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {
        "SCALEWATCH_DATABASE_URL": f"sqlite:///{large_database()}",
        "SCALEWATCH_EMBEDDED_WORKER": "false",
    }
    command = [sys.executable, "-m", "uvicorn", "--factory", "scalewatch.app:served"]
    command += ["--port", str(port), "--log-level", "warning"]
    process = subprocess.Popen(command, env=environment)
    site = f"http://127.0.0.1:{port}"
    try:
        wait_for(site, process)
        yield site
    finally:
        process.terminate()
        process.wait()


def wait_for(site: str, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a server answers."""
    while process.poll() is None:
        try:
            httpx2.get(f"{site}/healthz")
        except httpx2.TransportError:
            time.sleep(0.05)
        else:
            return
    sys.exit("the server did not start")
