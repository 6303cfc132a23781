"""Work of the product on a store: what is asked of it, the same at every size.

Whatever is written is taken back. No answer is remembered, so that each question is
answered from the store, as after a restart.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

from benchmarks.growing_rows import PROJECT_ID, report_of
from fastapi.testclient import TestClient
from sqlalchemy import Engine, select

from scalewatch.app import create_app
from scalewatch.services.analysis import analysis
from scalewatch.services.caches import Kept
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.regressions import detection
from scalewatch.services.runs.record import prepare, record_prepared
from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions, sessions_of
from scalewatch.wire import RunReport
from support.large_project import PROJECT, REGIONS

API: Final = f"/api/v1/projects/{PROJECT}"
WINDOW: Final = 40
"""Commits of a history; the smallest store has so many."""

Work = Callable[[int], object]
"""Does the piece of a number."""


@contextmanager
def unremembered() -> Iterator[None]:
    """Let the product find every answer anew inside the block."""
    usual = Kept.answers
    Kept.answers = _found  # type: ignore[method-assign]
    yield
    Kept.answers = usual  # type: ignore[method-assign]


def _found(
    _: Kept[Any], keys: Sequence[bytes], find: Callable[[list[int]], Sequence[Any]]
) -> list[Any]:
    return [*find([*range(len(keys))])] if keys else []


@contextmanager
def works(engine: Engine) -> Iterator[list[tuple[str, Work]]]:
    """Yield each kind of work by its name."""
    sessions = sessions_of(engine)
    with TestClient(create_app(engine, embedded_worker=False)) as client:
        listed = client.get(f"{API}/commits", params={"limit": WINDOW}).json()
        shas = [each["sha"] for each in listed["commits"]]
        yield [
            ("posting", _posting(sessions, shas[0])),
            ("match table", _asking(client, f"{API}/report", "commit", shas)),
            ("history", _asking(client, f"{API}/history", "region", [*REGIONS])),
            ("commit", _asking(client, f"/p/{PROJECT}/c/{{}}", "", shas)),
            ("gate", _asking(client, f"{API}/gate", "commit", shas)),
            ("analysis", _analysing(sessions)),
            ("detection", _detecting(sessions)),
        ]


def _asking(client: TestClient, path: str, asked: str, about: Sequence[str]) -> Work:
    """Return what asks for one thing after the other, all of which are there."""

    def ask(number: int) -> None:
        subject = about[number % len(about)]
        query = {asked: subject} if asked else {"format": "json"}
        if asked == "region":
            query["limit"] = str(WINDOW)
        client.get(path.format(subject), params=query).raise_for_status()

    return ask


def _posting(sessions: Sessions, sha: str) -> Work:
    """Return what stores a run as it was posted, all but the commit to disk."""
    report = report_of(sha).model_dump(mode="json")

    def post(_: int) -> None:
        run = RunReport.model_validate(report | {"id": str(uuid4())}, strict=False)
        with sessions.writing() as session:
            record_prepared(session, [prepare(run)])
            session.rollback()

    return post


def _analysing(sessions: Sessions) -> Work:
    """Return the analysis of the newest commits, stored and taken back."""
    with sessions.reading() as session:
        subjects = session.execute(
            select(tables.Run.commit_id, tables.Run.machine_id)
            .order_by(tables.Run.id.desc())
            .limit(1)
        ).all()
    subject = AnalysedCommit(*subjects[0])

    def analyse(_: int) -> None:
        with sessions.writing() as session:
            analysis.record(session, analysis.analyse(session, subject))
            session.rollback()

    return analyse


def _detecting(sessions: Sessions) -> Work:
    """Return the detection in all histories of the project."""

    def detect(_: int) -> None:
        with sessions.reading() as session:
            detection.detect(session, PROJECT_ID)

    return detect
