"""How long 20,000 runs of one project delay the verdict of another.

A token of project `many` posts 20,000 runs, 100 a body, five of them a commit, to a
server with its worker: on SQLite, and on PostgreSQL with Celery. Once 300 jobs wait,
again and again until all are posted, a token of another project posts the six
settings of a commit and waits until that is analysed. Beside it stands the same on a
server to which nobody else posts.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, Final
from uuid import uuid4

import httpx2
from benchmarks.goals import Goal
from benchmarks.options import usual
from benchmarks.results import Results
from tests.support.builders import result, run
from tests.support.servers.composition import Composition

from scalewatch.services.access import tokens
from scalewatch.services.access.callers import Role
from scalewatch.storage.database.session import connect, sessions_of, transact

RUNS: Final = 20_000
QUICK_RUNS: Final = 4_000
A_BODY: Final = 100
A_COMMIT: Final = 5
WAITING: Final = 300
TIMES: Final = 10
PATIENCE: Final = 300.0
PAUSE: Final = 0.1
DATABASES: Final = {"SQLite": False, "PostgreSQL + Redis + Celery": True}
LATEST: Final = Goal(
    "verdict of a project beside 20,000 runs of another, slowest",
    "{:.1f} s",
    most=30.0,
)


def main(results: Results) -> None:
    """Measure on either database, without the runs of another project and with them."""
    row = results.table(
        "verdict of six settings", "beside", "number", "median", "slowest"
    )
    slowest = []
    for name, is_distributed in DATABASES.items():
        with _serving(is_distributed=is_distributed) as base:
            quiet = [_seconds_until_verdict(base, n) for n in range(TIMES)]
            row(name, "nobody", *_cells(quiet))
            beside, waiting = [], []
            with _posting_many(base) as thread:
                while thread.is_alive() or len(beside) < TIMES:
                    waiting.append(_open_jobs(base))
                    beside.append(_seconds_until_verdict(base, TIMES + len(beside)))
            jobs = f"up to {max(waiting):,} jobs of another"
            row(name, jobs, *_cells(beside))
            slowest.append(max(beside))
    results.figure(LATEST, max(slowest))


def _cells(seconds: list[float]) -> list[str]:
    return [f"{len(seconds)}", f"{median(seconds):.1f} s", f"{max(seconds):.1f} s"]


@contextmanager
def _serving(*, is_distributed: bool) -> Iterator[httpx2.Client]:
    """Serve with a worker; give a client, whose tokens are named by their project."""
    with TemporaryDirectory(prefix="scalewatch-turns-") as folder:
        composition = Composition(Path(folder), is_distributed=is_distributed)
        try:
            composition.start()
            engine = connect(composition.url)
            for project in ("many", "few"):
                _SECRETS[project] = transact(
                    sessions_of(engine),
                    lambda session, name=project: tokens.create(
                        session, name, Role.INGEST, name
                    )[1],
                )
            engine.dispose()
            with httpx2.Client(base_url=composition.base, timeout=PATIENCE) as client:
                yield client
        finally:
            composition.remove()


_SECRETS: Final[dict[str, str]] = {}


@contextmanager
def _posting_many(client: httpx2.Client) -> Iterator[Thread]:
    """Post the runs of `many`, in a thread; the block begins once their jobs wait."""

    def post_all() -> None:
        for first in range(0, int(usual(RUNS, QUICK_RUNS)), A_BODY):
            _post(client, "many", range(first, first + A_BODY), A_COMMIT)

    thread = Thread(target=post_all, name="many")
    thread.start()
    while _open_jobs(client) < WAITING and thread.is_alive():
        time.sleep(PAUSE)
    yield thread
    thread.join()


def _seconds_until_verdict(client: httpx2.Client, number: int) -> float:
    """Post a commit of `few` as agents do, and wait until it is analysed."""
    begun = time.monotonic()
    answers = _post(client, "few", range(number * 6, number * 6 + 6), 6)
    while (
        client.get(answers[-1]["job"], headers=_bearer("few")).json()["state"] != "done"
    ):
        if time.monotonic() - begun > PATIENCE:
            break
        time.sleep(PAUSE)
    return time.monotonic() - begun


def _post(
    client: httpx2.Client, project: str, numbers: range, a_commit: int
) -> list[dict[str, Any]]:
    runs = [
        run(
            id=str(uuid4()),
            project=project,
            commit={"sha": f"{number // a_commit + 1:040x}", "branch": "main"},
            coordinate={"p": 2 ** (number % a_commit + 1)},
            results=[result(values=[1e-6 * (number % a_commit + 1)] * 3)],
        )
        for number in numbers
    ]
    answer = client.post("/api/v1/runs", json=runs, headers=_bearer(project))
    answer.raise_for_status()
    accepted: list[dict[str, Any]] = answer.json()
    return accepted


def _open_jobs(client: httpx2.Client) -> int:
    answer = client.get("/api/v1/status", headers=_bearer("many")).json()
    return int(answer["jobs"]["open"])


def _bearer(project: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {_SECRETS[project]}"}
