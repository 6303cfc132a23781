"""The progress of a project: token, first run, verdicts, and measurements it lacks."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services.access import callers
from scalewatch.services.access.callers import Role
from scalewatch.services.scaling_errors.scan import SIZE
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import machines
from scalewatch.storage.access import projects, tokens
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.judgements import verdicts
from scalewatch.storage.runs import measurements, profiles
from scalewatch.texts.scales import RESOURCES
from scalewatch.wire import TIME


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a project; none of a project that is new, or hidden.

    Parameters
    ----------
    needs_token
        Whether the server asks for tokens: one was made.
    may_make_tokens
        Whether the caller can make one on the page of settings.
    has_verdicts
        Whether something is judged at its newest commit.
    """

    project: str
    is_there: bool
    needs_token: bool
    may_make_tokens: bool
    runs: int
    last_machine: str | None
    last_run_at: datetime | None
    commits: int
    has_verdicts: bool


def progress_of(session: Session, name: str) -> Progress:
    """Return how far a project has come that may be new."""
    row = projects.named(session, name)
    seen = machines.last_seen(session, row.id) if row else []
    last = max(seen, key=lambda machine: machine[1], default=None)
    newest = commits.newest(session, row.id) if row else None
    return Progress(
        project=name,
        is_there=row is not None,
        needs_token=tokens.is_any(session),
        may_make_tokens=callers.may(session, Role.ADMIN, name),
        runs=sum(runs for _, _, runs in seen),
        last_machine=last[0] if last else None,
        last_run_at=last[1] if last else None,
        commits=commits.count(session, row.id) if row else 0,
        has_verdicts=newest is not None and verdicts.is_any_at(session, newest.id),
    )


def known_projects(session: Session) -> tuple[str, ...]:
    """Return the names of all projects that the caller may see."""
    return tuple(row.name for row in projects.listed(session))


LATEST: Final = 5
"""Newest commits that tell whether a project measures several settings."""


class Lack(StrEnum):
    """A kind of measurement that a project lacks, in words."""

    SETTINGS = "all is measured at one setting"
    TIMES = "no time is measured at the newest commit"
    SIZES = "no run of the newest commit records a problem size n"
    CONFIGURATIONS = "no region is measured in two configurations on one machine"
    PROFILES = "no run has a profile"
    TRACES = "no program was traced"


def lacking(session: Session, project_name: str) -> frozenset[Lack]:
    """Return what a project lacks at its newest commit; nothing without a commit.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    newest = commits.newest(session, project.id)
    if newest is None:
        return frozenset()
    lacks = CommitSnapshot.of(session, newest).kept(
        ("lacking",), lambda: _lacking_at(session, newest)
    )
    is_profiled = profiles.is_profiled(session, project.id)
    return lacks if is_profiled else lacks | {Lack.PROFILES}


def _lacking_at(session: Session, commit: AnyCommit) -> frozenset[Lack]:
    coordinates = [
        scanned.coordinate
        for scanned in measurements.places_at(session, commit.id).values()
    ]
    # The newest commit may have begun with one setting of many.
    latest = commits.of_project(session, commit.project_id, limit=LATEST)
    places = {
        tuple(sorted(scanned.coordinate.items()))
        for each in latest
        for scanned in measurements.places_at(session, each.id).values()
    }
    configurations = defaultdict[tuple[int, str, str], set[int]](set)
    for taken in measurements.taken_at(session, commit.id):
        place = (taken.machine_id, taken.region, taken.metric)
        configurations[place].add(taken.configuration_id)
    has = {
        Lack.SETTINGS: len(places) > 1,
        Lack.TIMES: TIME in CommitSnapshot.of(session, commit).metrics,
        Lack.SIZES: any(SIZE in each for each in coordinates),
        Lack.CONFIGURATIONS: any(len(each) > 1 for each in configurations.values())
        or any(each.keys() - {*RESOURCES, SIZE} for each in coordinates),
    }
    return frozenset(lack for lack, is_there in has.items() if not is_there)
