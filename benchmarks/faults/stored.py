"""What a database holds of the runs, and what was found of them, by their own names.

Two databases with the same runs hold the same, whatever happened on the way: ids and
times of arrival are left out.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.database.session import connect, sessions_of

POINT: Final = (
    "start",
    "count",
    "minimum",
    "q50",
    "below",
    "above",
    "q95",
    "mean",
    "deviation",
    "flags",
    "reason",
)


@dataclass(frozen=True, slots=True)
class Stored:
    """What lies in a database.

    Parameters
    ----------
    rows
        How many of each run.
    runs
        By run, a digest of all that is stored of it.
    models, verdicts
        By project, commit, machine, region and metric.
    given_up
        Jobs that failed, with the reason.
    """

    rows: Counter[UUID]
    runs: Mapping[UUID, str]
    models: Mapping[tuple[Any, ...], tuple[Any, ...]]
    verdicts: Mapping[tuple[Any, ...], tuple[Any, ...]]
    given_up: tuple[str, ...]


def stored_in(url: str) -> Stored:
    """Read what lies in a database."""
    engine = connect(url)
    try:
        with sessions_of(engine).reading() as session:
            return Stored(
                Counter(session.scalars(select(tables.Run.uuid))),
                _runs(session),
                _models(session),
                _verdicts(session),
                tuple(
                    f"{job.kind} {job.subject}: {job.reason}"
                    for job in session.scalars(
                        select(tables.Job).where(tables.Job.state == "failed")
                    )
                ),
            )
    finally:
        engine.dispose()


def _runs(session: Session) -> dict[UUID, str]:
    held: dict[UUID, list[str]] = {}
    for run in session.execute(_of_runs()):
        held[run.uuid] = [repr(tuple(run)[1:])]
    for point in session.execute(_of_points()):
        held[point.uuid].append(repr(tuple(point)[1:]))
    return {
        uuid: sha256("\n".join([own[0], *sorted(own[1:])]).encode()).hexdigest()
        for uuid, own in held.items()
    }


def _of_runs() -> Select[Any]:
    """Ask for runs with all that hangs on them but their points."""
    run = tables.Run
    return (
        select(
            run.uuid,
            tables.Project.name,
            tables.Commit.sha,
            tables.Machine.name,
            tables.Fingerprint.digest,
            tables.Configuration.digest,
            run.suite,
            run.coordinate,
            tables.Payload.digest,
            tables.Samples.blob,
            tables.Procedure.blob,
        )
        .join(tables.Commit, tables.Commit.id == run.commit_id)
        .join(tables.Project, tables.Project.id == tables.Commit.project_id)
        .join(tables.Machine, tables.Machine.id == run.machine_id)
        .join(tables.Fingerprint, tables.Fingerprint.id == run.fingerprint_id)
        .join(tables.Configuration, tables.Configuration.id == run.configuration_id)
        .outerjoin(tables.Payload, tables.Payload.run_id == run.id)
        .outerjoin(tables.Samples, tables.Samples.run_id == run.id)
        .outerjoin(tables.Procedure, tables.Procedure.run_id == run.id)
    )


def _of_points() -> Select[Any]:
    return (
        select(
            tables.Run.uuid,
            tables.Series.region,
            tables.Series.metric,
            *(getattr(tables.Point, name) for name in POINT),
        )
        .join(tables.Point, tables.Point.run_id == tables.Run.id)
        .join(tables.Series, tables.Series.id == tables.Point.series_id)
    )


def _models(session: Session) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    model = tables.Model
    asked = _named(
        model,
        *(model.rule, model.growth, model.terms, model.constant),
        *(model.points, model.repetitions, model.reason),
    )
    return {tuple(row)[:5]: tuple(row)[5:] for row in session.execute(asked)}


def _verdicts(session: Session) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    verdict = tables.Verdict
    asked = _named(
        verdict,
        *(verdict.verdict, verdict.deviation_limit, verdict.divergence, verdict.reason),
    )
    return {tuple(row)[:5]: tuple(row)[5:] for row in session.execute(asked)}


def _named(table: type[Any], *columns: Any) -> Select[Any]:
    """Ask for columns of what was found of series at commits, behind their names."""
    return (
        select(
            tables.Project.name,
            tables.Commit.sha,
            tables.Machine.name,
            tables.Series.region,
            tables.Series.metric,
            *columns,
        )
        .select_from(table)
        .join(tables.Commit, tables.Commit.id == table.commit_id)
        .join(tables.Project, tables.Project.id == tables.Commit.project_id)
        .join(tables.Series, tables.Series.id == table.series_id)
        .join(tables.Machine, tables.Machine.id == tables.Series.machine_id)
    )
