"""How the cost of the product's work grows with what it stores, judged by its own rule.

Stores from ten thousand to ten million measurements, each with a longer history of the
same 44 series on ten machines; processor time of this process, one request at a time
(on SQLite the database runs in it, on PostgreSQL it does not), in several rounds over
all stores. Reads and posts should cost the same whatever lies there, O(1), and may grow
with its logarithm; the analysis of a commit should not know how long the history is.
The models are Scalewatch's, by the default rule, and so are the verdicts: a verdict
that is no match is a finding about the product.

Filling the stores takes two hours per database the first time; `--measurements=1000000`
ends at a million.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from itertools import cycle
from typing import Any, Final
from uuid import uuid4

import numpy as np
from benchmarks.goals import Goal
from benchmarks.large_store import EACH_COMMIT, large_store
from benchmarks.options import asked, usual
from benchmarks.results import Results
from fastapi.testclient import TestClient
from sqlalchemy import Engine, select

from scalewatch.app import create_app
from scalewatch.modelling import Finding, Verdict, find_models, parse_growth
from scalewatch.services.analysis import analysis
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.runs.prepare import prepare
from scalewatch.services.runs.record import record_prepared
from scalewatch.storage import tables
from scalewatch.storage.database.session import sessions_of
from scalewatch.web.process import spare_collections
from scalewatch.wire import RunReport
from support.large_project import PROJECT, REGIONS

SMALLEST: Final = 10_000
LARGEST: Final = 10_000_000
QUICK: Final = 160_000
STEPS: Final = 7
ROUNDS: Final = 5
AT_ONCE: Final = 8
"""Pieces of work that are timed together: a clock tick is much of one."""

EXPECTATIONS: Final[Mapping[str, str]] = {
    "posting": "O(1)",
    "match table": "O(1)",
    "history": "O(1)",
    "analysis": "O(1)",
}
LIMIT: Final = "O(log n)"
"""What every one may deviate by."""

MATCHED: Final = Goal("work whose cost does not grow with the store", "{:.0%}", least=1)

Work = Callable[[], object]


def main(results: Results) -> None:
    """Measure every kind of work over stores of growing size, and judge its growth."""
    sizes = sizes_up_to(asked().measurements or int(usual(LARGEST, QUICK)))
    spare_collections()
    verdicts = []
    for kind in asked().database or ("sqlite", "postgresql"):
        results.heading(kind)
        seconds = measured(kind, sizes)
        row = results.table("work", *(f"{n:,}" for n in sizes), "model", "verdict")
        for (name, values), finding in zip(
            seconds.items(), judged(sizes, seconds), strict=True
        ):
            verdicts.append(finding.verdict)
            middle = np.median(values, axis=1) * 1e3
            cells = (f"{each:.1f} ms" for each in middle)
            row(name, *cells, f"`{finding.growth}`", said(finding))
    if sizes[-1] == LARGEST:
        results.figure(MATCHED, float(np.mean([v is Verdict.MATCH for v in verdicts])))


def sizes_up_to(largest: int) -> list[int]:
    """Return the sizes of stores, whole commits each, evenly on a logarithmic axis."""
    sizes = np.geomspace(SMALLEST, largest, STEPS)
    return [int(EACH_COMMIT * round(each / EACH_COMMIT)) for each in sizes]


def measured(kind: str, sizes: list[int]) -> dict[str, np.ndarray]:
    """Return seconds of processor time of each kind of work, shape (n, rounds)."""
    seconds = {name: np.full((len(sizes), ROUNDS), np.nan) for name in EXPECTATIONS}
    for place, size in enumerate(sizes):
        with ExitStack() as opened:
            engine = opened.enter_context(large_store(kind, size))
            client = opened.enter_context(
                TestClient(create_app(engine, embedded_worker=False))
            )
            for name, work in works(engine, client):
                work()
                for turn in range(ROUNDS):
                    begun = time.process_time()
                    for _ in range(AT_ONCE):
                        work()
                    taken = time.process_time() - begun
                    seconds[name][place, turn] = taken / AT_ONCE
    return seconds


def works(engine: Engine, client: TestClient) -> Iterator[tuple[str, Work]]:
    """Yield each kind of work by its name, none of which leaves anything behind."""
    api = f"/api/v1/projects/{PROJECT}"
    listed = client.get(f"{api}/commits", params={"limit": 40}).json()["commits"]
    shas = cycle(each["sha"] for each in listed)
    regions = cycle(REGIONS)
    yield "posting", posting(engine, client, listed[0]["sha"])
    yield "match table", lambda: asked_for(client, f"{api}/report", commit=next(shas))
    yield "history", lambda: asked_for(client, f"{api}/history", region=next(regions))
    yield "analysis", analysing(engine)


def asked_for(client: TestClient, path: str, **query: str) -> None:
    """Ask for something that must be there."""
    client.get(path, params=query).raise_for_status()


def posting(engine: Engine, client: TestClient, sha: str) -> Work:
    """Return what stores a run as it was posted, all but the commit to disk."""
    sessions = sessions_of(engine)
    with sessions.reading() as session:
        uuid = session.scalar(select(tables.Run.uuid).limit(1))
    known = client.get(f"/api/v1/runs/{uuid}").json()
    report = _posted(known, sha)

    def post() -> None:
        run = RunReport.model_validate(report | {"id": str(uuid4())}, strict=False)
        with sessions.writing() as session:
            record_prepared(session, [prepare(run)])
            session.rollback()

    return post


def _posted(known: Mapping[str, Any], sha: str) -> dict[str, Any]:
    """Return a run of a hundred measurements beside one that is known."""
    return {
        "schema": 1,
        "project": PROJECT,
        "suite": "growth",
        "commit": {"sha": sha},
        "machine": {"name": known["machine"], "fingerprint": {"cores": 1}},
        "coordinate": {"p": 8},
        "results": [
            {
                "region": f"{region} {number}",
                "metric": "time",
                "unit": "s",
                "values": [1e-3, 1.1e-3, 1.05e-3],
            }
            for number in range(3)
            for region in REGIONS
        ],
    }


def analysing(engine: Engine) -> Work:
    """Return the analysis of what one machine measured of the newest commit."""
    sessions = sessions_of(engine)
    with sessions.reading() as session:
        commit_id, machine_id = session.execute(
            select(tables.Run.commit_id, tables.Run.machine_id)
            .order_by(tables.Run.id.desc())
            .limit(1)
        ).one()
    subject = AnalysedCommit(commit_id, machine_id)

    def analyse() -> None:
        with sessions.reading() as session:
            analysis.analyse(session, subject)

    return analyse


def judged(sizes: list[int], seconds: Mapping[str, np.ndarray]) -> Iterator[Finding]:
    """Yield what Scalewatch says of each kind of work."""
    for name, values in seconds.items():
        (finding,) = find_models(
            np.array(sizes, float),
            values[np.newaxis],
            parameter="n",
            expectation=parse_growth(EXPECTATIONS[name]),
            deviation_limit=parse_growth(LIMIT),
        )
        yield finding


def said(finding: Finding) -> str:
    """Return the verdict with its probability."""
    probability = finding.verdict_probability.get(finding.verdict)
    share = "" if probability is None else f" ({probability:.0%})"
    return f"{finding.verdict}{share}"
