"""How fast the pages are, on a project of real size: server, browser, wire, layout.

Every page that the application has, on a project of 40 regions, 10 machines and 400
commits (a million points), and those with most cells on one of 400 regions, 10 machines
and 2 commits. Of 2,000 regions on 50 machines the server's times are beside those of
the large project, with its memory once eight readers at once have gone; a dash: one of
them was refused. Server times are those of `scalewatch.app:served` in a
process of its own, over HTTP on this machine, one request at a time. The browser is the
system's Chromium, headless, with three new profiles, of which the middle one is shown:
cold on the first visit, as soon as it has started itself; warm on the third: not before
does it keep compiled scripts. Plots are drawn when those are that the window shows.
Bytes are those over the wire without plotly.js; movement of the layout and the longest
task are the largest. Values beyond their goals are in bold. Other work of the machine
is in all of the times.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Final
from urllib.parse import unquote

import httpx2
from benchmarks import options
from benchmarks.goals import Goal
from benchmarks.page_notes import DRAWN, REPORT, WATCH
from benchmarks.results import Results
from fastapi.testclient import TestClient
from playwright.sync_api import (
    BrowserContext,
    Playwright,
    TimeoutError,  # noqa: A004 - Playwright's own
    sync_playwright,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from scalewatch.app import create_app
from scalewatch.storage.database.session import connect, sessions_of
from scalewatch.storage.tables import Table
from support.addresses import large_examples, page_addresses
from support.chromium import QUIET, chromium
from support.large_database import large_database
from support.large_project import PROJECT
from support.many_projects import record_many_projects
from support.servers.ports import free_port
from support.wide_project import Width, record_wide_project

WIDE: Final = (
    "/",
    "/p/wide",
    "/p/wide/r/mesh%3A%3Akernel_000",
    "/p/wide/r/mesh%3A%3Akernel_000?machine=cluster-00",
    "/p/wide/history?machine=cluster-00",
    "/p/wide/cost",
    "/p/wide/compare/cluster-00...cluster-01",
)
"""Pages with a cell or a row for each of hundreds of regions."""

WIDEST: Final = (
    ("/", "/"),
    ("/p/wide", f"/p/{PROJECT}"),
    ("/p/wide?view=table", f"/p/{PROJECT}?view=table"),
    ("/p/wide?cursor=80", f"/p/{PROJECT}"),
    ("/p/wide?format=json", f"/p/{PROJECT}?format=json"),
    ("/p/wide/history", f"/p/{PROJECT}/history"),
    ("/p/wide/cost?machine=cluster-00", f"/p/{PROJECT}/cost"),
    ("/p/wide/guidelines", f"/p/{PROJECT}/guidelines"),
    ("/p/wide/compare/cluster-00...cluster-01", f"/p/{PROJECT}/compare/juwels...lumi"),
    ("/p/wide/c/newest", f"/p/{PROJECT}/c/newest"),
    ("/p/wide/r/mesh%3A%3Akernel_000", f"/p/{PROJECT}/r/mesh%3A%3Afind_neighbours"),
    ("/p/wide/m/cluster-00", f"/p/{PROJECT}/m/juwels"),
    ("/p/wide/efficiency", f"/p/{PROJECT}/efficiency"),
    ("/p/wide/configurations", f"/p/{PROJECT}/configurations"),
    ("/p/wide/lines", f"/p/{PROJECT}/lines"),
    ("/p/wide/settings/expectations", f"/p/{PROJECT}/settings/expectations"),
    ("/api/v1/projects/wide/models", f"/api/v1/projects/{PROJECT}/models"),
    ("/api/v1/projects/wide/cost", f"/api/v1/projects/{PROJECT}/cost"),
)
"""Pages of 2,000 regions on 50 machines, and the same pages of the large project."""

READERS: Final = 8
"""So many ask for each of these pages at once, before its time is taken."""

MOST_REQUESTS: Final = 5

LONGEST: Final = 120.0
"""Seconds in which a page of the widest project has to answer eight readers."""

SLOWER = Goal("slowest page of 2,000 × 50, over that of the large", "{:.1f} ×", most=5)
RESIDENT = Goal("memory of the server after eight readers", "{:.0f} MB", most=600)

INBOX: Final = ("/inbox", "/inbox?period=all", "/inbox/lines.svg", "/api/v1/inbox")
"""The inbox over 70 projects of 400 commits and 20 regressions, and what it loads."""

NO_SLOWER = Goal(
    "inbox of 70 projects × 400 commits, over the large match table",
    "{:.2f} ×",
    most=1.2,
)

SETTLED: Final = 700
"""Milliseconds after loading in which a page may still move."""

SCROLLS: Final = 40

BROWSERS: Final = 3
"""How many new browsers see a page, cold and warm; the one in the middle is shown."""

STARTED: Final = 1.5
"""Seconds after which a new browser is no longer busy with itself."""

VISITS: Final = 3
"""The last one is warm: on its second visit the browser keeps the scripts compiled."""

PATIENCE: Final = 20_000
"""Milliseconds in which the plots of a page have to be there."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the table, with what it may be at most."""

    name: str
    most: float | None = None
    form: str = "{:.0f} ms"
    figure: str = ""
    """The name of its largest value on the scoreboard."""

    def goal(self) -> Goal:
        """Return what its largest value has to reach."""
        return Goal(self.figure, self.form, most=self.most)

    def cell(self, value: float | None) -> str:
        """Write a value, in bold where the goal is missed."""
        if value is None:
            return "–"
        text = self.form.format(value)
        return f"**{text}**" if self.is_missed(value) else text

    def is_missed(self, value: float | None) -> bool:
        """Tell whether a value is beyond the goal."""
        return self.most is not None and value is not None and value > self.most


COLUMNS: Final = (
    Column("server p50"),
    Column("p99", 100, figure="answer of the server, p99, slowest page"),
    Column("content cold", 500, figure="first content in a cold browser, slowest page"),
    Column("content warm", 500),
    Column("plots cold", 1500, figure="plots in a cold browser, slowest page"),
    Column("plots warm", 500, figure="plots in a warm browser, slowest page"),
    Column("kB", 700, "{:.0f} kB", "over the wire without plotly.js, largest page"),
    Column("shift", 0, "{:.3f}", "movement of the layout, largest of a page"),
    Column("longest task"),
)

SCROLLING: Final = Column(
    "scrolling", 200, figure="longest task while scrolling the history"
)


def main(results: Results) -> None:
    """Measure every page: server, first paint and plots, bytes, movement."""
    requests = options.series(100, 15)
    engine = connect(f"sqlite:///{large_database()}")
    client = TestClient(create_app(engine, embedded_worker=False))
    paths = list(page_addresses(large_examples(client)))
    engine.dispose()
    missed = 0
    every = []
    results.say(f"{requests} requests of each page.")
    row = results.table("page", *(each.name for each in COLUMNS))
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        wide = wide_database(Path(folder))
        for database, shown, note in (
            (large_database(), paths, ""),
            (wide, WIDE, " of 400 × 10"),
        ):
            with server(database) as (site, _):
                for path in shown:
                    values = measured(playwright, site, path, requests)
                    pairs = [*zip(COLUMNS, values, strict=True)]
                    missed += any(column.is_missed(value) for column, value in pairs)
                    cells = (column.cell(value) for column, value in pairs)
                    row(f"`{unquote(path)}`{note}", *cells)
                    every.append(values)
        results.say(f"{missed} of {len(every)} pages miss a goal.")
        with server(large_database()) as (site, _):
            task = scrolled(playwright, site)
    widest(results, min(requests, MOST_REQUESTS))
    inbox(results, requests)
    pairs = [*zip(COLUMNS, zip(*every, strict=True), strict=True), (SCROLLING, [task])]
    for column, values in pairs:
        if column.figure:
            most = max(value for value in values if value is not None)
            results.figure(column.goal(), most)


def inbox(results: Results, requests: int) -> None:
    """Measure the inbox of many projects beside the match table of the large one."""
    row = results.table("page of 70 projects", "p50", "p99")
    with TemporaryDirectory() as folder:
        path = Path(folder) / "many.db"
        engine = connect(f"sqlite:///{path}")
        Table.metadata.create_all(engine)
        record_many_projects(sessions_of(engine))
        engine.dispose()
        with server(path) as (site, _), server(large_database()) as (large, _):
            match_table, _ = server_times(f"{large}/p/{PROJECT}", requests)
            times = {each: server_times(site + each, requests) for each in INBOX}
    for address, (half, most) in times.items():
        row(f"`{address}`", f"{half:.0f} ms", f"{most:.0f} ms")
    row("large match table", f"{match_table:.0f} ms", "–")
    results.figure(NO_SLOWER, times[INBOX[0]][0] / match_table)


def widest(results: Results, requests: int) -> None:
    """Measure pages of the widest project beside those of the large one."""
    row = results.table("page of 2,000 × 50", "p50", "large", "times", "readers", "MB")
    ratios, resident = [], 0.0
    with TemporaryDirectory() as folder:
        path = wide_database(Path(folder), Width(regions=2_000, machines=50))
        with server(path) as (site, pid), server(large_database()) as (large, _):
            for address, beside in WIDEST:
                together = readers_time(site + address)
                resident = max(resident, megabytes(pid))
                try:
                    here, _ = server_times(site + address, requests, LONGEST)
                except httpx2.HTTPStatusError:
                    here = inf  # the server gave up
                there, _ = server_times(large + beside, requests)
                ratios.append(here / there)
                row(
                    f"`{address}`",
                    f"{here:.0f} ms",
                    f"{there:.0f} ms",
                    f"{here / there:.1f}",
                    "–" if together is None else f"{together:.1f} s",
                    f"{megabytes(pid):.0f}",
                )
    results.figure(SLOWER, max(ratios))
    results.figure(RESIDENT, resident)


def readers_time(url: str) -> float | None:
    """Return the seconds in which a page answers eight at once; None: not all."""
    started = time.perf_counter()
    with ThreadPoolExecutor(READERS) as pool:
        ask = partial(httpx2.get, timeout=LONGEST, follow_redirects=True)
        answers = [*pool.map(ask, [url] * READERS)]
    took = time.perf_counter() - started
    return took if all(answer.is_success for answer in answers) else None


def megabytes(pid: int) -> float:
    """Return the resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measured(
    playwright: Playwright, site: str, path: str, requests: int
) -> list[float | None]:
    """Measure one page, a value per column."""
    half, most = server_times(site + path, requests)
    visits = []
    for _ in range(BROWSERS):
        with browser(playwright, site) as context:
            time.sleep(STARTED)
            visits.append([seen(context, path) for _ in range(VISITS)])
    cold, _, warm = zip(*visits, strict=True)
    return [
        half,
        most,
        middle(cold, "content"),
        middle(warm, "content"),
        middle(cold, "plots"),
        middle(warm, "plots"),
        middle(cold, "bytes") / 1000,
        max(round(each["shift"], 3) for each in cold),
        max(each["longest"] for each in cold),
    ]


def middle(visits: Sequence[dict[str, Any]], name: str) -> Any:
    """Return the median of what the visits noted; None where there is nothing."""
    found = [each[name] for each in visits]
    return None if None in found else median(found)


def server_times(
    url: str, requests: int, patience: float = PATIENCE / 1000
) -> tuple[float, float]:
    """Return the median and the 99th percentile of a page's time, in milliseconds."""
    taken = []
    with httpx2.Client(follow_redirects=True, timeout=patience) as client:
        client.get(url).raise_for_status()
        for _ in range(requests):
            started = time.perf_counter()
            client.get(url).raise_for_status()
            taken.append((time.perf_counter() - started) * 1e3)
    taken.sort()
    return taken[len(taken) // 2], taken[min(len(taken) - 1, len(taken) * 99 // 100)]


@contextmanager
def browser(playwright: Playwright, site: str) -> Iterator[BrowserContext]:
    """Open a browser as somebody does who never used it, with a profile on disk."""
    with TemporaryDirectory() as profile:
        context = playwright.chromium.launch_persistent_context(
            profile,
            executable_path=chromium(playwright),
            args=list(QUIET),
            base_url=site,
        )
        context.add_init_script(WATCH)
        yield context
        context.close()


def seen(context: BrowserContext, path: str) -> dict[str, Any]:
    """Load a page and return what it noted about itself."""
    page = context.new_page()
    page.goto(path, wait_until="load")
    with suppress(TimeoutError):  # which leaves the plots at the patience, see below
        page.wait_for_function(DRAWN, timeout=PATIENCE)
    page.wait_for_timeout(SETTLED)
    found: dict[str, Any] = page.evaluate(REPORT)
    if found["hasPlots"] and found["plots"] is None:
        found["plots"] = float(PATIENCE)
    page.close()
    return found


def scrolled(playwright: Playwright, site: str) -> float:
    """Scroll through the history of all regions; return the longest task, in ms."""
    with browser(playwright, site) as context:
        page = context.new_page()
        page.goto(f"/p/{PROJECT}/history", wait_until="load")
        page.wait_for_timeout(SETTLED)
        page.evaluate("window.seen.longest = 0")
        for _ in range(SCROLLS):
            page.mouse.wheel(0, 600)
            page.wait_for_timeout(50)
        longest: float = page.evaluate("window.seen.longest")
    return longest


def wide_database(folder: Path, width: Width | None = None) -> Path:
    """Return a database of the project of many regions, made anew."""
    path = folder / "wide.db"
    engine = connect(f"sqlite:///{path}")
    Table.metadata.create_all(engine)
    record_wide_project(sessions_of(engine), width or Width())
    engine.dispose()
    return path


@contextmanager
def server(database: Path) -> Iterator[tuple[str, int]]:
    """Serve a database by a process of its own; give its address and its id."""
    port = free_port()
    environment = os.environ | {
        "SCALEWATCH_DATABASE_URL": f"sqlite:///{database}",
        "SCALEWATCH_EMBEDDED_WORKER": "false",
    }
    command = [sys.executable, "-m", "uvicorn", "--factory", "scalewatch.app:served"]
    command += ["--port", str(port), "--log-level", "warning"]
    process = subprocess.Popen(command, env=environment)
    site = f"http://127.0.0.1:{port}"
    try:
        wait_for(site, process)
        yield site, process.pid
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
