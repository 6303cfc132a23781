"""How long reading takes in a store of ten million measurements over 5,000 commits.

Requests go one at a time to the application in this process, each for another region or
commit than the one before: time until the answer is whole, processor time of this
process (the client and, on SQLite, the database run in it), statements and the time
spent waiting for them. The client and compression take about 10 ms of each answer. In
bold are those that miss their goal, a 99th percentile of 50 ms for JSON and 150 ms for
pages.

The first run fills the store, in 20 s of processor time for a million measurements on
SQLite; later ones find it in a folder for temporary files, or in
SCALEWATCH_BENCHMARK_STORE. `--measurements=1000000 --database=sqlite --only=history` is
a smaller one. Bytes are those of all tables with their indices without repetitions
(samples, payload), PostgreSQL swept.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, unquote

import numpy as np
from benchmarks.goals import Goal
from benchmarks.large_store import large_store
from benchmarks.occupancy import besides, occupied, sweep
from benchmarks.options import asked, usual
from benchmarks.results import Results
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event, func, select

from scalewatch.app import create_app
from scalewatch.storage import tables
from scalewatch.storage.database.session import sessions_of
from scalewatch.web.process import spare_collections
from support.addresses import large_examples, page_addresses
from support.large_project import PROJECT, REGIONS

API: Final = f"/api/v1/projects/{PROJECT}"
GOALS: Final = {"JSON": 50, "page": 150}
"""Milliseconds of the 99th percentile."""

LARGE: Final = 10_000_000
SMALL: Final = 100_000
"""Measurements of the store."""

COMMITS: Final = 40
"""The newest ones, of which one after the other is asked for."""


@dataclass
class Answers:
    """What each request took, in milliseconds, and how many statements it needed."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    statements: int = 0


SLOWEST: Final = {
    "JSON": Goal("JSON at 10 million measurements, p99, slowest", "{:.0f} ms", most=50),
    "page": Goal(
        "page at 10 million measurements, p99, slowest", "{:.0f} ms", most=150
    ),
}
BYTES: Final = Goal(
    "bytes of one of 10 million measurements, larger database", "{:.0f}", most=200
)

Address = Callable[[int], str]
"""Return what the request of a number asks for."""


def main(results: Results) -> None:
    """Measure every JSON and page on either database, and what a measurement takes."""
    measurements = asked().measurements or int(usual(LARGE, SMALL))
    slowest: dict[str, list[float]] = {}
    bytes_each = []
    spare_collections()  # as what serves does
    for kind in asked().database or ("sqlite", "postgresql"):
        with large_store(kind, measurements) as engine:
            results.heading(f"{measurements:,} measurements, {kind}")
            times = answer_times(results, engine, asked().requests, asked().only)
            for goal, most in times:
                slowest.setdefault(goal, []).append(most)
            if not asked().only:
                bytes_each.append(bytes_of_each(engine))
                results.say(f"{bytes_each[-1]:.0f} bytes a measurement.")
    if measurements == LARGE:
        for goal, times in slowest.items():
            results.figure(SLOWEST[goal], max(times))
        results.figure(BYTES, max(bytes_each, default=np.nan))


def bytes_of_each(engine: Engine) -> float:
    """Return what a measurement occupies besides repetitions, PostgreSQL swept."""
    sessions = sessions_of(engine)
    sweep(sessions)
    with sessions.reading() as session:
        points = session.scalar(select(func.count()).select_from(tables.Point)) or 0
    return besides(occupied(sessions)) / points


def answer_times(
    results: Results, engine: Engine, requests: int, only: str
) -> Iterator[tuple[str, float]]:
    """Add a row per answer; yield which goal it has, and its 99th percentile."""
    row = results.table(
        "kind",
        "answer",
        "p50",
        "p99",
        "processor p50",
        "processor p99",
        "database p50",
        "statements",
        words=2,
    )
    waited = Waited(engine)
    with TestClient(create_app(engine, embedded_worker=False)) as client:
        for goal, name, address in asked_for(client):
            if only in f"{goal} {name}":
                answers = measured(client, waited, address, requests)
                row(goal, name, *cells(goal, answers))
                yield goal, float(np.quantile(answers.wall, 0.99))


def asked_for(client: TestClient) -> Iterator[tuple[str, str, Address]]:
    """Yield the JSON whose time is promised, then every page, then the feeds."""
    listed = client.get(f"{API}/commits", params={"limit": COMMITS}).json()["commits"]
    shas = [each["sha"] for each in listed]
    regions = [quote(region, safe="") for region in REGIONS]
    changing: dict[tuple[str, str], Sequence[str]] = {
        ("JSON", "match table of a commit"): [
            f"{API}/report?commit={sha}" for sha in shas
        ],
        ("JSON", "history"): [f"{API}/history?region={each}" for each in regions],
        ("JSON", "commit"): [f"/p/{PROJECT}/c/{sha}?format=json" for sha in shas],
        ("JSON", "models"): [f"{API}/models?region={each}" for each in regions],
        ("JSON", "commits"): [f"{API}/commits?before={sha}" for sha in shas],
        ("JSON", "machines"): [f"{API}/machines"],
        ("JSON", "projects"): ["/api/v1/projects"],
        ("JSON", "regressions"): [f"{API}/regressions"],
        ("page", "match table of a commit"): [
            f"/p/{PROJECT}?commit={sha}" for sha in shas
        ],
        ("page", "commit"): [f"/p/{PROJECT}/c/{sha}" for sha in shas],
        ("page", "region"): [f"/p/{PROJECT}/r/{each}" for each in regions],
        ("page", "history"): [
            f"/p/{PROJECT}/history?region={each}" for each in regions
        ],
    }
    for (goal, name), paths in changing.items():
        yield goal, name, lambda number, paths=paths: paths[number % len(paths)]
    for path in page_addresses(large_examples(client)):
        yield "page", f"`{unquote(path)}`", lambda _, path=path: path
    for name in ("feed.atom", "regressions.atom", "badge.svg"):
        yield "page", name, lambda _, name=name: f"/p/{PROJECT}/{name}"


def measured(
    client: TestClient, waited: "Waited", address: Address, requests: int
) -> Answers:
    """Ask for one thing after the other, the first of them twice."""
    client.get(address(0)).raise_for_status()
    answers = Answers()
    for number in range(requests):
        path = address(number)
        waited.forget()
        processor, started = time.process_time(), time.perf_counter()
        answer = client.get(path)
        answers.wall.append((time.perf_counter() - started) * 1e3)
        answers.processor.append((time.process_time() - processor) * 1e3)
        answers.database.append(waited.seconds * 1e3)
        answers.statements = max(answers.statements, waited.statements)
        answer.raise_for_status()
    return answers


def cells(goal: str, answers: Answers) -> list[str]:
    """Write a row of the table, behind the name of the answer."""
    half, most = np.quantile(answers.wall, (0.5, 0.99))
    own_half, own_most = np.quantile(answers.processor, (0.5, 0.99))
    return [
        f"{half:.0f} ms",
        f"**{most:.0f} ms**" if most > GOALS[goal] else f"{most:.0f} ms",
        f"{own_half:.0f} ms",
        f"{own_most:.0f} ms",
        f"{np.median(answers.database):.0f} ms",
        str(answers.statements),
    ]


class Waited:
    """Counts the statements of an engine and what they took until the first row."""

    def __init__(self, engine: Engine) -> None:
        self.seconds = 0.0
        self.statements = 0
        event.listen(engine, "before_cursor_execute", self._before)
        event.listen(engine, "after_cursor_execute", self._after)

    def forget(self) -> None:
        """Begin anew."""
        self.seconds, self.statements = 0.0, 0

    def _before(self, *arguments: Any) -> None:
        arguments[4].begun = time.perf_counter()

    def _after(self, *arguments: Any) -> None:
        self.seconds += time.perf_counter() - arguments[4].begun
        self.statements += 1
