"""What a project lacks for some of its pages: menus say so before one goes there."""

from collections import defaultdict
from enum import StrEnum

from sqlalchemy.orm import Session

from scalewatch.services.caches.editions import kept_at
from scalewatch.services.scaling_errors.planes import SCALE, SIZE
from scalewatch.services.series.scans import PREFERRED_METRIC
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit
from scalewatch.storage.runs import measurements, profiles


class Lack(StrEnum):
    """What nothing was measured of, in words."""

    TIMES = "no time is measured at the newest commit"
    SIZES = "no run of the newest commit records a problem size n"
    CONFIGURATIONS = "no region is measured in two configurations on one machine"
    PROFILES = "no run has a profile"


def lacking(session: Session, project_name: str) -> frozenset[Lack]:
    """Return what a project lacks at its newest commit; nothing before it has one.

    Raises
    ------
    NotFound
        If there is no such project.
    """
    project = projects.existing(session, project_name)
    newest = commits.newest(session, project.id)
    if newest is None:
        return frozenset()
    found = kept_at(
        session, newest.id, ("lacking",), lambda: _lacking_at(session, newest)
    )
    is_profiled = profiles.is_profiled(session, project.id)
    return found if is_profiled else found | {Lack.PROFILES}


def _lacking_at(session: Session, commit: AnyCommit) -> frozenset[Lack]:
    coordinates = [
        place.coordinate
        for place in measurements.places_at(session, commit.id).values()
    ]
    has = {
        Lack.TIMES: PREFERRED_METRIC in CommitSnapshot.of(session, commit).metrics,
        Lack.SIZES: any(SIZE in each for each in coordinates),
        Lack.CONFIGURATIONS: _has_configurations(session, commit.id)
        or any(each.keys() - {SCALE, SIZE} for each in coordinates),
    }
    return frozenset(lack for lack, is_there in has.items() if not is_there)


def _has_configurations(session: Session, commit_id: int) -> bool:
    """Tell whether a region was measured in two configurations on a machine."""
    measured: dict[tuple[int, str, str], set[int]] = defaultdict(set)
    for each in measurements.taken_at(session, commit_id):
        place = (each.machine_id, each.region, each.metric)
        measured[place].add(each.configuration_id)
    return any(len(configurations) > 1 for configurations in measured.values())
