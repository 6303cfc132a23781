"""Projects with a history, recorded and analysed as the product does it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from math import log2
from typing import Any

from sqlalchemy import select

from scalewatch.modelling import Verdict
from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.storage import tables
from scalewatch.storage.database.session import Sessions
from scalewatch.storage.histories import regressions
from scalewatch.storage.histories.regressions import ShiftDetails
from scalewatch.wire import RunReport
from support.builders import sweep_reports
from support.recorded import record

Curve = Callable[[int], float]

PROCESSES = (4, 8, 16, 32, 64)
FIRST_DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)

TREE: Curve = lambda p: 1e-6 + 2e-6 * log2(p)  # noqa: E731
LINEAR: Curve = lambda p: 1e-6 + 1e-6 * p  # noqa: E731


def sha(number: int) -> str:
    """Return the hash of a commit of these histories."""
    return f"{number:040x}"


def commit(number: int, **fields: Any) -> dict[str, Any]:
    """Return a commit whose parent is the one before."""
    day = FIRST_DAY + timedelta(days=number)
    return {
        "sha": sha(number),
        "parents": [sha(number - 1)] if number > 1 else [],
        "branch": "main",
        "committed_at": day.isoformat(),
        "message": f"Change {number}",
        **fields,
    }


def reports(
    number: int,
    growths: Mapping[str, Curve],
    *,
    machine: str = "jureca",
    cores: int = 128,
    **fields: Any,
) -> list[RunReport]:
    """Return the runs of a commit."""
    defaults = {
        "project": "mpich",
        "commit": commit(number),
        "machine": {"name": machine, "fingerprint": {"cores": cores}},
    }
    return sweep_reports(
        PROCESSES,
        growths,
        repetitions=5,
        noise=0.01,
        seed=number,
        **defaults | fields,
    )


def single_values(
    number: int, seconds: Mapping[str, float], *, p: int, **fields: Any
) -> list[RunReport]:
    """Return the run of a commit that has one value of each region."""
    defaults = {
        "commit": commit(number),
        "machine": {"name": "jureca", "fingerprint": {"cores": 128}},
    }
    return sweep_reports(
        (p,),
        {each: lambda _, value=value: value for each, value in seconds.items()},
        repetitions=1,
        noise=0,
        **defaults | fields,
    )


def record_commit(
    sessions: Sessions, number: int, growths: Mapping[str, Curve], **fields: Any
) -> None:
    """Measure a commit and do all jobs that follow."""
    record(sessions, reports(number, growths, **fields))


def record_history(
    sessions: Sessions,
    curves: Callable[[int], Mapping[str, Curve]],
    commits: int,
    **fields: Any,
) -> None:
    """Measure commits 1 … `commits`; `curves(number)` gives the regions of each."""
    record(
        sessions,
        [
            report
            for number in range(1, commits + 1)
            for report in reports(number, curves(number), **fields)
        ],
    )


def shift_details(**parts: Any) -> ShiftDetails:
    """Return details of a level that doubled, but for what is given."""
    details = ShiftDetails(
        kind=ShiftKind.LEVEL,
        probability={
            ShiftKind.GROWTH: 0.0,
            ShiftKind.COEFFICIENT: 0.1,
            ShiftKind.LEVEL: 0.9,
        },
        factor=2.0,
        low=1.9,
        high=2.1,
        largest_factor=2.0,
        largest={"p": 64.0},
        tilt=0.0,
        faster_probability=0.5,
        is_gradual=False,
        statistic=50.0,
        p_value=1e-6,
        q_value=1e-6,
        is_sure=True,
        noticed_at="3f2a91c",
        commits_before=10,
        commits_after=5,
        target={"p": 1024.0},
        at_target=Bounds(2.0, 1.8, 2.2),
        growth_before="log p",
        growth_after="log p",
        verdict_before=Verdict.MATCH,
        verdict_after=Verdict.MATCH,
        expectation="log p",
        expectation_version=1,
    )
    return replace(details, **parts)


def store_nights(sessions: Sessions, **fields: Any) -> None:
    """Store what a detection says of the nights of jureca."""
    nights = {
        "machine": "jureca",
        "metric": "time",
        "correlation": 0.6,
        "spread": 0.021,
        "regions": 40,
        "commits": 3,
        "nights": [("c1", 0.0), ("c2", 0.2), ("c3", 0.01)],
        "bad": {"c2": "c2"},
        "steps": [],
    }
    with sessions.writing.begin() as session:
        (project,) = session.scalars(select(tables.Project))
        details = {
            "nights": [nights | fields],
            "alarming": 0.031,
            "alarming_share": 0.04,
        }
        regressions.put_detection(session, project.id, details)
