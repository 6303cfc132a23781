"""Renamed regions: their histories go on under the new name."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy.orm import Session

from scalewatch.errors import InvalidReport
from scalewatch.services.access import audit
from scalewatch.services.jobs import JobKind, enqueue
from scalewatch.storage.access import projects
from scalewatch.storage.histories import locations


@dataclass(frozen=True, slots=True)
class Alias:
    """A former name of a region, and its present one."""

    former: str
    name: str


def aliases_of(session: Session, project_name: str) -> tuple[Alias, ...]:
    """Return the former names of a project's regions.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    known = locations.former_names(session, project.id)
    return tuple(Alias(former, name) for former, name in sorted(known.items()))


def present_name(known: Mapping[str, str], region: str) -> str:
    """Return the present name of a region."""
    seen = {region}
    while (name := known.get(region)) is not None and name not in seen:
        region = name
        seen.add(name)
    return region


def renamed(session: Session, project_name: str, region: str) -> str | None:
    """Return the name that a region has now, None if it is its own.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    name = present_name(locations.former_names(session, project.id), region)
    return None if name == region else name


def rename(
    session: Session, project_name: str, stated: Mapping[str, str | None]
) -> tuple[Alias, ...]:
    """Declare the present names of regions; None removes a declaration. Others stay.

    Raises
    ------
    NotFound
        If there is no such project.
    InvalidReport
        If a name leads back to itself.
    """
    project = projects.existing(session, project_name)
    known = locations.former_names(session, project.id)
    after = {
        former: name
        for former, name in {**known, **stated}.items()
        if name is not None and name != former
    }
    circular = [each for each in after if present_name(after, each) in after]
    if circular:
        reason = f"{circular[0]!r} would become another name of itself"
        raise InvalidReport([(f"aliases.{circular[0]}", reason)])
    if after != known:
        locations.replace_former_names(session, project.id, after)
        audit.note(session, "regions renamed", project.name, aliases=after)
        # The histories of the renamed regions have to be searched for changes again.
        enqueue(session, JobKind.WATCH, project.id)
    return aliases_of(session, project_name)
