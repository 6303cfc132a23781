"""Posted files: record their runs, keep them as they are, and read them again."""

from dataclasses import asdict

import zstandard
from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.files.imports import ImportOrigin
from scalewatch.services.files.posted_files import PostedFile, read_posted
from scalewatch.services.jobs import AnalysedCommit
from scalewatch.services.runs.prepare import PreparedRun, prepare
from scalewatch.services.runs.record import Receipt, record_prepared
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.database.digests import canonical, digest_of
from scalewatch.storage.removals import Removal
from scalewatch.storage.runs import imported_files, runs

LIMIT = 2**28
"""Bytes that a kept file may unpack to; it was within its limit when it was posted."""


def record_file(
    session: Session, file: PostedFile, prepared: list[PreparedRun]
) -> list[Receipt]:
    """Store the runs of a file, and the file; all of it or nothing.

    Raises
    ------
    UnitChanged, DirectionChanged
        If a metric comes in another unit, or with another better direction.
    """
    receipts = record_prepared(session, prepared)
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
        imported_files.keep(session, row, new)
    return receipts


def read_again(session: Session, file_id: int, limit: int) -> int:
    """Read a kept file as this version does; return how many runs it makes.

    Runs that it no longer makes are removed, and those that it makes now recorded.

    Raises
    ------
    UnreadableFiles
        If this version cannot read it; its runs stay as they are.
    """
    row = session.get_one(tables.ImportedFile, file_id)
    stated = dict(row.stated)
    origin = ImportOrigin(**stated.pop("origin"))
    body = zstandard.decompress(row.body)
    reports = read_posted(PostedFile(body, origin, **stated), limit).runs.reports
    made = {report.id for report in reports}
    known = set(imported_files.runs_of(session, file_id))
    for uuid in known - made:
        run = runs.described(session, uuid)
        subject = AnalysedCommit(run.commit_id, run.machine_id)
        Removal(session).runs(tables.Run.id == run.id)
        jobs.enqueue(session, jobs.JobKind.ANALYSE, str(subject))
    new = [prepare(report) for report in reports if report.id not in known]
    receipts = record_prepared(session, new)
    recorded = [receipt.run for receipt in receipts if receipt.is_new]
    imported_files.note_runs(session, file_id, recorded)
    return len(made)
