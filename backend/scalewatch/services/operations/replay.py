"""Replay: read posted payloads again, after a mistake in reading them."""

import zstandard
from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.runs.prepare import prepare
from scalewatch.services.runs.record import add_blobs, add_points, series_of
from scalewatch.storage import tables
from scalewatch.storage.runs import payloads
from scalewatch.wire import RunReport


def replay(session: Session, run_id: int) -> None:
    """Rebuild the measurements of a run from its payload, and queue their analysis."""
    content = zstandard.decompress(payloads.body_of(session, run_id))
    prepared = prepare(RunReport.model_validate_json(content))
    run = session.get_one(tables.Run, run_id)
    payloads.remove_measurements(session, run_id)
    places = {
        "machine_id": run.machine_id,
        "configuration_id": run.configuration_id,
    }
    ids, prepared = series_of(session, places, prepared)
    add_blobs(session, run_id, ids, prepared)
    add_points(session, run_id, ids, prepared)
    subject = AnalysedCommit(run.commit_id, run.machine_id)
    jobs.enqueue(session, jobs.JobKind.ANALYSE, str(subject))


def note(session: Session, project: str | None, runs: int) -> None:
    """Note in the audit log that runs were replayed."""
    audit.note(session, "runs replayed", project, runs=runs)
