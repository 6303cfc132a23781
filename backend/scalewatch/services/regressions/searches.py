"""Search the histories of a project for changes: its newest commits, and older ones.

The newest commits are searched whenever one was measured. Who imports the history of
years adds older ones: stretches of these are searched once, and again where more of
them is measured.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy.orm import Session

from scalewatch.services import jobs
from scalewatch.services.commits.lineage import Lineage
from scalewatch.services.commits.main_line import older_lines
from scalewatch.services.jobs import JobKind
from scalewatch.services.regressions import records
from scalewatch.services.regressions.detection import Detected, detect
from scalewatch.storage.histories import regressions
from scalewatch.storage.judgements import editions

AT_ONCE: Final = 5
"""Stretches of older commits that are searched in a job; others wait for the next."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Older commits that are searched together, and on how many machines they were."""

    line: Lineage
    measured: int

    @property
    def name(self) -> str:
        """The hash of its last commit."""
        return self.line.commits[-1].sha


@dataclass(frozen=True, slots=True)
class Searched:
    """A search of a project.

    Parameters
    ----------
    newest
        What its newest commits show.
    store
        Stores all that was found, in a session that writes.
    """

    newest: Detected
    store: Callable[[Session], None]


def search(session: Session, project_id: int, alarming_share: float) -> Searched:
    """Search the newest commits of a project, and older ones that are new."""
    newest = detect(session, project_id, alarming_share)
    stretches = _stretches(session, newest)
    former = regressions.detection_of(session, project_id)
    searched = former.details.get("searched", {}) if former else {}
    new = [each for each in stretches if searched.get(each.name, 0) != each.measured]
    older = [
        detect(session, project_id, alarming_share, each.line) for each in new[:AT_ONCE]
    ]
    waiting = new[AT_ONCE:]
    done = [each for each in stretches if each not in waiting]
    ids = {commit.id for each in done for commit in each.line.commits}
    newest = replace(
        newest,
        searched={each.name: each.measured for each in done},
        older=len(ids.difference(commit.id for commit in newest.line.commits)),
    )

    def write(session: Session) -> None:
        for detected in older:
            records.record_causes(session, detected, is_newest=False)
        records.record(session, newest)
        if waiting:
            jobs.enqueue(session, JobKind.WATCH, project_id)

    return Searched(newest, write)


def _stretches(session: Session, newest: Detected) -> list[_Stretch]:
    if newest.measured_commits <= len(newest.line.commits) or not newest.line.commits:
        return []
    machines = editions.counts(session, newest.project_id)
    return [
        _Stretch(line, sum(machines.get(commit.id, 0) for commit in line.commits))
        for line in older_lines(session, newest.project_id, newest.line)
    ]
