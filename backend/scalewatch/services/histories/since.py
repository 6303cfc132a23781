"""The change of each scan of a region that matters: since when it is as it is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.histories.commits import NEWEST, part_of
from scalewatch.services.histories.segments import StoredChange, changes_of, telling
from scalewatch.services.regions.region import Region
from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.storage.access import projects
from scalewatch.storage.histories import locations, regressions


@dataclass(frozen=True, slots=True)
class Since:
    """The change that brought a series to its present state.

    Parameters
    ----------
    first, last
        The commits that may have made it.
    state
        Of the regression that it is part of.
    """

    change: StoredChange
    first: Commit
    last: Commit
    state: RegressionState


def since_of(session: Session, shown: Region) -> tuple[Since | None, ...]:
    """Return the change that matters of each scan of a region, up to its commit."""
    project = projects.existing(session, shown.project)
    series = locations.series_of(
        session, project.id, regions=[shown.region], metric=shown.metric
    )
    shifts = regressions.shifts_of(session, [each.id for each in series])
    if not shifts:
        return (None,) * len(shown.scans)
    commits = part_of(session, project, NEWEST).line.commits
    end = next(
        (at for at, each in enumerate(commits) if each.sha == shown.commit.sha), -1
    )
    position_of = {each.id: at for at, each in enumerate(commits[: end + 1])}
    changes = changes_of(shifts, position_of)
    states = {each.regression_id: RegressionState(each.state) for each in shifts}
    by_place = {
        _place(each.machine, each.configuration): telling(changes.get(each.id, ()))
        for each in series
    }
    return tuple(
        Since(
            change,
            commit_of(commits[change.first]),
            commit_of(commits[change.last]),
            states[change.regression],
        )
        if change
        else None
        for change in (
            by_place.get(_place(scan.machine, scan.configuration))
            for scan in shown.scans
        )
    )


def is_tracked(session: Session, shown: Region) -> bool:
    """Tell whether the first scan of a region has a history: any success at all."""
    project = projects.existing(session, shown.project)
    series = locations.series_of(
        session, project.id, regions=[shown.region], metric=shown.metric
    )
    return any(each.machine == shown.scans[0].machine for each in series)


def _place(machine: str, configuration: Mapping[str, Any]) -> tuple[str, str]:
    return machine, repr(sorted(configuration.items()))
