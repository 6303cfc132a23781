"""Where runs belong: all of it in one query, as nearly all runs come from known places.

Statements that every run executes are written once: to build one anew takes longer than
most databases take to answer it.
"""

from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from scalewatch.storage import tables
from scalewatch.storage.commits import adds_to
from scalewatch.storage.digests import canonical, digest_of
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
    )
    .join_from(
        tables.Project.__table__,
        tables.Commit.__table__,
        _COMMIT.project_id == _PROJECT.id,
    )
    .join(tables.Machine.__table__, _MACHINE.project_id == _PROJECT.id)
    .join(tables.Fingerprint.__table__, _FINGERPRINT.machine_id == _MACHINE.id)
    .join(tables.Configuration.__table__, _CONFIGURATION.project_id == _PROJECT.id)
    .where(
        _PROJECT.name == bindparam("project"),
        _COMMIT.sha == bindparam("sha"),
        _MACHINE.name == bindparam("machine"),
        _FINGERPRINT.digest == bindparam("facts"),
        _CONFIGURATION.digest == bindparam("settings"),
    )
)


class Place(NamedTuple):
    """The ids of what a run belongs to."""

    project_id: int
    commit_id: int
    machine_id: int
    fingerprint_id: int
    configuration_id: int


def known(session: Session, report: RunReport) -> Place | None:
    """Return where a run belongs, unless something of that is new."""
    found = (
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
    provenance = report.machine.provenance
    if (
        found is None
        or adds_to(found, report.commit)
        or (provenance and provenance != found.provenance)
    ):
        return None
    return Place(*found[: len(Place._fields)])


def _digest(content: dict[str, Any]) -> str:
    return digest_of(canonical(content))
