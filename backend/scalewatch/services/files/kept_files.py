"""Posted files and payloads: kept as they came, and read again."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Final

import zstandard
from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.services import jobs
from scalewatch.services.access import audit
from scalewatch.services.files.imports import ImportOrigin
from scalewatch.services.files.posted_files import PostedFile, runs_json
from scalewatch.services.files.reader_processes import ReaderProcesses
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.runs import record
from scalewatch.services.runs.record import PreparedRun, prepare
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.database.inserts import canonical, digest_of
from scalewatch.storage.database.session import Sessions, transact
from scalewatch.storage.removals import Removal
from scalewatch.storage.runs import payloads, runs
from scalewatch.wire import RunReport, faults

LIMIT: Final = 32 * 2**20
"""Bytes that a kept file may unpack to: as many as a posted one."""

_READ: Final = TypeAdapter(tuple[tuple[RunReport, ...], tuple[str, ...]])
"""The runs of a file, and what could not be taken, as a reader process answers."""


def record_file(
    session: Session, file: PostedFile, prepared: list[PreparedRun]
) -> list[record.Receipt]:
    """Store the runs of a file, and the file; all of it or nothing.

    Raises
    ------
    UnitChanged, DirectionChanged
        If a metric comes in another unit, or with another better direction.
    """
    receipts = record.record_prepared(session, prepared)
    new = [receipt.run for receipt in receipts if receipt.is_new]
    if new:
        stated = {key: value for key, value in asdict(file).items() if key != "body"}
        row = {
            "project_id": projects.existing(session, file.origin.project).id,
            "digest": digest_of(canonical(stated) + file.body),
            "name": file.name,
            "stated": stated,
            "body": zstandard.compress(file.body),
        }
        payloads.keep_file(session, row, new)
    return receipts


def read_again(sessions: Sessions, file_id: int, readers: ReaderProcesses) -> int:
    """Read a kept file as this version does; return how many runs it makes.

    Runs that it no longer makes are removed, and those that it makes now recorded.
    It is read outside of a transaction, as agents post meanwhile.

    Raises
    ------
    UnreadableFiles, ReadingLimitExceeded, ReaderDied
        If this version cannot read it within the limits of posted files; its runs stay
        as they are.
    """
    with sessions.reading() as session:
        row = session.get_one(tables.ImportedFile, file_id)
        stated = dict(row.stated)
        origin = ImportOrigin(**stated.pop("origin"))
        file = PostedFile(zstandard.decompress(row.body), origin, **stated)
    reports, _ = _READ.validate_json(readers.read(runs_json, file, LIMIT))
    return transact(sessions, partial(_record_again, file_id=file_id, reports=reports))


def _record_again(session: Session, file_id: int, reports: Sequence[RunReport]) -> int:
    made = {report.id for report in reports}
    known = set(payloads.runs_of_file(session, file_id))
    project_id = session.get_one(tables.ImportedFile, file_id).project_id
    for uuid in known - made:
        run = runs.described(session, uuid)
        subject = AnalysedCommit(run.commit_id, run.machine_id)
        Removal(session).runs(tables.Run.id == run.id)
        jobs.enqueue(session, jobs.JobKind.ANALYSE, project_id, str(subject))
    new = [prepare(report) for report in reports if report.id not in known]
    receipts = record.record_prepared(session, new)
    recorded = [receipt.run for receipt in receipts if receipt.is_new]
    payloads.note_runs_of_file(session, file_id, recorded)
    return len(made)


def replay(session: Session, run_id: int) -> None:
    """Rebuild the measurements of a run from its payload, and queue their analysis.

    Raises
    ------
    InvalidReport
        If this version refuses it; its measurements stay as they are.
    """
    content = zstandard.decompress(payloads.body_of(session, run_id))
    try:
        prepared = prepare(RunReport.model_validate_json(content))
    except ValidationError as error:
        refused = [(fault.field, fault.message) for fault in faults(error)]
        raise InvalidReport(refused) from None
    run = session.get_one(tables.Run, run_id)
    payloads.remove_measurements(session, run_id)
    places = {
        "machine_id": run.machine_id,
        "configuration_id": run.configuration_id,
    }
    ids, prepared = record.series_of(session, places, prepared)
    record.add_blobs(session, run_id, ids, prepared)
    record.add_points(session, run_id, ids, prepared)
    project_id = session.get_one(tables.Commit, run.commit_id).project_id
    subject = AnalysedCommit(run.commit_id, run.machine_id)
    jobs.enqueue(session, jobs.JobKind.ANALYSE, project_id, str(subject))


def note_replay(session: Session, project: str | None, runs: int) -> None:
    """Note in the audit log that runs were replayed."""
    audit.note(session, "runs replayed", project, runs=runs)
