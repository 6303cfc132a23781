"""How long reading takes in a store of ten million measurements over 5,000 commits.

`python -m benchmarks reads [--measurements=10000000] [--database=sqlite|postgresql]
[--requests=50]`. Requests go one at a time to the application in this process, each for
another region or commit than the one before: time until the answer is whole, processor
time of this process with the client and, on SQLite, the database in it, statements and
what was waited for them. The first run fills the store, which takes its time; later
ones find it in a folder for temporary files, or in SCALEWATCH_BENCHMARK_STORE.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote

import numpy as np
from benchmarks.large_store import large_store
from benchmarks.options import asked, usual
from benchmarks.server import hardware
from fastapi.testclient import TestClient
from sqlalchemy import Engine, event

from scalewatch.app import create_app
from scalewatch.web.garbage import spare_collections
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


Address = Callable[[int], str]
"""Return what the request of a number asks for."""


def main() -> None:
    """Print a row per JSON and page, those that miss their goal in bold."""
    measurements = asked().measurements or int(usual(LARGE, SMALL))
    print(f"{hardware()}\n")
    spare_collections()  # as what serves does
    for kind in asked().database or ("sqlite", "postgresql"):
        with large_store(kind, measurements) as engine:
            print(f"\n{measurements:,} measurements, {kind}:\n")
            print("| | | p50 | p99 | processor p50 | p99 | database p50 | statements |")
            print(f"|---|---|{'---:|' * 6}")
            report(engine, asked().requests, asked().only)


def report(engine: Engine, requests: int, only: str) -> None:
    """Print what the answers took that one database holds."""
    waited = Waited(engine)
    with TestClient(create_app(engine, embedded_worker=False)) as client:
        for goal, name, address in asked_for(client):
            if only in f"{goal} {name}":
                answers = measured(client, waited, address, requests)
                print(row(goal, name, answers), flush=True)


def asked_for(client: TestClient) -> Iterator[tuple[str, str, Address]]:
    """Yield the JSON whose time is promised, then every page, then the feeds."""
    listed = client.get(f"{API}/commits", params={"limit": COMMITS}).json()["commits"]
    shas = [each["sha"] for each in listed]
    regions = [quote(region, safe="") for region in REGIONS]
    changing: dict[tuple[str, str], Sequence[str]] = {
        ("JSON", "match table"): [f"{API}/report?commit={sha}" for sha in shas],
        ("JSON", "history"): [f"{API}/history?region={each}" for each in regions],
        ("JSON", "commit"): [f"/p/{PROJECT}/c/{sha}?format=json" for sha in shas],
        ("JSON", "models"): [f"{API}/models?region={each}" for each in regions],
        ("JSON", "commits"): [f"{API}/commits?before={sha}" for sha in shas],
        ("JSON", "machines"): [f"{API}/machines"],
        ("JSON", "projects"): ["/api/v1/projects"],
        ("JSON", "regressions"): [f"{API}/regressions"],
        ("page", "match table"): [f"/p/{PROJECT}?commit={sha}" for sha in shas],
        ("page", "commit"): [f"/p/{PROJECT}/c/{sha}" for sha in shas],
        ("page", "region"): [f"/p/{PROJECT}/r/{each}" for each in regions],
        ("page", "history"): [
            f"/p/{PROJECT}/history?region={each}" for each in regions
        ],
    }
    for (goal, name), paths in changing.items():
        yield goal, name, lambda number, paths=paths: paths[number % len(paths)]
    for path in page_addresses(large_examples(client)):
        yield "page", path, lambda _, path=path: path
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


def row(goal: str, name: str, answers: Answers) -> str:
    """Return a line of the table."""
    half, most = np.quantile(answers.wall, (0.5, 0.99))
    own_half, own_most = np.quantile(answers.processor, (0.5, 0.99))
    shown = name.removeprefix(f"/p/{PROJECT}") or "match table"
    cells = [
        goal,
        f"`{shown}`" if "/" in shown else shown,
        f"{half:.0f} ms",
        f"**{most:.0f} ms**" if most > GOALS[goal] else f"{most:.0f} ms",
        f"{own_half:.0f} ms",
        f"{own_most:.0f} ms",
        f"{np.median(answers.database):.0f} ms",
        str(answers.statements),
    ]
    return f"| {' | '.join(cells)} |"


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
