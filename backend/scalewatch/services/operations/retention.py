"""Retention: old repetitions are thinned, their summaries kept.

The repetitions that stay are those at evenly spaced ranks, the smallest and the
largest included: their quantiles are those of all.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final, Self

import numpy as np
import zstandard
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from scalewatch import private_files
from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.access.policies import policy_of
from scalewatch.storage.access import projects
from scalewatch.storage.runs import payloads, samples
from scalewatch.storage.tables import now
from scalewatch.storage.work import jobs as stored_jobs

AT_ONCE: Final = 50
"""Runs that are exported, and only then thinned."""


@dataclass(frozen=True, slots=True)
class ThinnableRuns:
    """Runs of a project that are exported, and can be thinned."""

    project: str
    runs: tuple[int, ...]
    kept: int
    export: Path


def export_next(
    session: Session, project: str, after: int, folder: Path
) -> ThinnableRuns | None:
    """Export the next runs whose repetitions are to be thinned, if there are any.

    The runs as they were posted are JSON Lines that can be posted again.

    Raises
    ------
    OSError
        If the file cannot be written: nothing may be thinned.
    """
    policy = policy_of(session, project)
    if policy.retention_days is None or policy.kept_repetitions is None:
        return None
    before = now() - timedelta(days=policy.retention_days)
    ids = payloads.runs_after(
        session, after, project=project, before=before, limit=AT_ONCE
    )
    if not ids:
        return None
    stamp = now().strftime("%Y%m%dT%H%M%S%f")
    file = folder / f"{_plain(project)}-{stamp}.jsonl.zst"
    _export(file, [payloads.body_of(session, run_id) for run_id in ids])
    return ThinnableRuns(project, tuple(ids), policy.kept_repetitions, file)


def thin_all(session: Session, batch: ThinnableRuns) -> None:
    """Thin the runs of a batch, and note in the audit log what was done."""
    for run_id in batch.runs:
        thin(session, run_id, batch.kept)
    audit.note(
        session,
        "repetitions thinned",
        batch.project,
        runs=len(batch.runs),
        export=str(batch.export),
    )


def thin(session: Session, run_id: int, kept: int) -> None:
    """Keep some repetitions of each measurement of a run, and delete the others.

    Its content as posted is forgotten too: it holds them all.
    """
    values = samples.of_runs(session, [run_id])[run_id]
    parts: list[NDArray[np.float64]] = []
    places: dict[int, tuple[int, int]] = {}
    start = 0
    for series_id, begin, count in payloads.places_of(session, run_id):
        part = thinned(values[begin : begin + count], kept)
        places[series_id] = start, part.size
        parts.append(part)
        start += part.size
    blob = samples.encode(np.concatenate([np.empty(0), *parts]))
    payloads.replace_samples(session, run_id, blob, places)
    payloads.forget(session, run_id)


def thinned(values: NDArray[np.float64], kept: int) -> NDArray[np.float64]:
    """Return the values at evenly spaced ranks, in the order of their taking."""
    if values.size <= kept:
        return values
    ranks = np.rint(np.linspace(0, values.size - 1, kept)).astype(int)
    chosen = np.sort(np.argsort(values, kind="stable")[ranks])
    return np.take(values, chosen)


def queue_due(session: Session, period: timedelta) -> None:
    """Queue the thinning of each project that asks for it, once a period."""
    for project in projects.listed(session):
        if projects.policy_of(session, project.id).retention_days is None:
            continue
        subject = ThinnedRuns(project.id, 0)
        last = stored_jobs.newest(session, jobs.JobKind.THIN, str(subject))
        if last is None or last.created_at < now() - period:
            jobs.enqueue(session, jobs.JobKind.THIN, project.id, str(subject))


@dataclass(frozen=True, slots=True)
class ThinnedRuns:
    """The subject of a job that thins: the runs of a project after one of them."""

    project_id: int
    after: int

    def __str__(self) -> str:
        return f"{self.project_id}/{self.after}"

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the subject that was written as `text`."""
        return cls(*map(int, text.split("/")))


def continue_after(
    session: Session, subject: ThinnedRuns, batch: ThinnableRuns | None
) -> None:
    """Thin a batch, and queue the next one."""
    if batch is not None:
        thin_all(session, batch)
        following = ThinnedRuns(subject.project_id, batch.runs[-1])
        jobs.enqueue(session, jobs.JobKind.THIN, subject.project_id, str(following))


def _export(file: Path, bodies: Sequence[bytes]) -> None:
    """Write runs to a file; it is on disk before anything is removed."""
    private_files.make_folder(file.parent)
    # As posted a run may have many lines, but none ends within a text.
    runs = (zstandard.decompress(body) for body in bodies)
    lines = b"".join(
        run.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n" for run in runs
    )
    with private_files.open_file(file, "xb") as output:
        output.write(zstandard.compress(lines))
        output.flush()
        os.fsync(output.fileno())


def _plain(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name)[:80]
