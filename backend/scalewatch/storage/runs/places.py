"""Ids of project, commit, machine and configuration of a run, read in one query.

Statements that every run executes are written once: to build one anew takes longer than
most databases take to answer it.
"""

from typing import Any, Final, NamedTuple

from sqlalchemy import and_, bindparam, select
from sqlalchemy.orm import Session

from scalewatch.storage import machines, tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import adds_to
from scalewatch.storage.database.inserts import canonical, digest_of
from scalewatch.storage.runs import series
from scalewatch.wire import RunReport

_PROJECT: Final = tables.Project.__table__.c
_COMMIT: Final = tables.Commit.__table__.c
_MACHINE: Final = tables.Machine.__table__.c
_FINGERPRINT: Final = tables.Fingerprint.__table__.c
_CONFIGURATION: Final = tables.Configuration.__table__.c

_KNOWN: Final = (
    select(
        _PROJECT.id.label("project_id"),
        _COMMIT.id.label("commit_id"),
        _MACHINE.id.label("machine_id"),
        _FINGERPRINT.id.label("fingerprint_id"),
        _CONFIGURATION.id.label("configuration_id"),
        _MACHINE.provenance,
        _COMMIT.parents,
        _COMMIT.branch,
        _COMMIT.committed_at,
        _COMMIT.message,
        _COMMIT.tag,
        _COMMIT.author,
        _PROJECT.repository,
    )
    .outerjoin_from(
        tables.Project.__table__,
        tables.Commit.__table__,
        and_(_COMMIT.project_id == _PROJECT.id, _COMMIT.sha == bindparam("sha")),
    )
    .outerjoin(
        tables.Machine.__table__,
        and_(_MACHINE.project_id == _PROJECT.id, _MACHINE.name == bindparam("machine")),
    )
    .outerjoin(
        tables.Fingerprint.__table__,
        and_(
            _FINGERPRINT.machine_id == _MACHINE.id,
            _FINGERPRINT.digest == bindparam("facts"),
        ),
    )
    .outerjoin(
        tables.Configuration.__table__,
        and_(
            _CONFIGURATION.project_id == _PROJECT.id,
            _CONFIGURATION.digest == bindparam("settings"),
        ),
    )
    .where(_PROJECT.name == bindparam("project"))
)


class RunKeys(NamedTuple):
    """The ids of what a run belongs to."""

    project_id: int
    commit_id: int
    machine_id: int
    fingerprint_id: int
    configuration_id: int


class _KnownKeys(NamedTuple):
    """Ids that exist; None where the run brings a new row or completes one."""

    project_id: int | None = None
    commit_id: int | None = None
    machine_id: int | None = None
    fingerprint_id: int | None = None
    configuration_id: int | None = None


def of(session: Session, report: RunReport) -> RunKeys:
    """Return the ids of what a run belongs to; create or complete the rows."""
    known = _known(session, report)
    project = known.project_id or projects.find_or_create(session, report.project).id
    if known.project_id is None and (repository := report.commit.repository):
        projects.note_repository(session, project, repository)
    machine = known.machine_id or machines.id_of(session, project, report.machine)
    return RunKeys(
        project,
        known.commit_id or commits.id_of(session, project, report.commit),
        machine,
        known.fingerprint_id
        or machines.fingerprint_id(session, machine, report.machine.fingerprint),
        known.configuration_id
        or series.configuration_id(session, project, report.configuration),
    )


def _known(session: Session, report: RunReport) -> _KnownKeys:
    row = (
        session.connection()
        .execute(
            _KNOWN,
            {
                "project": report.project,
                "sha": report.commit.sha,
                "machine": report.machine.name,
                "facts": _digest(report.machine.fingerprint),
                "settings": _digest(report.configuration),
            },
        )
        .one_or_none()
    )
    if row is None:
        return _KnownKeys()
    known = _KnownKeys(*row[: len(RunKeys._fields)])
    if adds_to(row, report.commit):
        known = known._replace(commit_id=None)
    if report.commit.repository and not row.repository:
        known = known._replace(project_id=None)
    if report.machine.provenance not in {None, row.provenance}:
        known = known._replace(machine_id=None)
    return known


def _digest(content: dict[str, Any]) -> str:
    return digest_of(canonical(content))
