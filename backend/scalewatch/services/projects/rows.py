"""All projects in rows, worst first, from what detections counted."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log
from typing import Final, Self

from sqlalchemy.orm import Session

from scalewatch.modelling import Mark
from scalewatch.services.caches import Kept, key_of
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.machines.silence import SilentMachine, silent_machines
from scalewatch.services.projects.overviews import Overview, counted
from scalewatch.services.regressions.regressions import RegressionState
from scalewatch.storage import machines, tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.histories import regressions
from scalewatch.storage.judgements import overviews

FEWEST_ALIKE = 3
"""Projects whose names begin alike, from which on they are a group."""

LOOKED_AT = 5
"""Newest open regressions of a project among which the largest is its headline."""

_LARGEST: Final = Kept[regressions.Member | None](5_000)
"""The worst series of regressions."""

UNGROUPED = 10
"""Projects that one screen holds: so few are in no groups."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The series that an open regression changed most.

    Parameters
    ----------
    factor, at
        After over before at the largest setting, and that setting.
    since
        The first commit that may be its cause.
    """

    region: str
    metric: str
    machine: str
    factor: float
    at: Mapping[str, float]
    since: Commit

    @classmethod
    def of(cls, worst: regressions.Member, since: Commit) -> Self:
        """Return the headline of a regression by its worst series."""
        details = worst.details
        return cls(
            worst.region,
            worst.metric,
            worst.machine,
            details.largest_factor,
            details.largest,
            since,
        )


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """A project at its newest commit, in a row.

    Parameters
    ----------
    group
        How the name begins, where several names do; else empty.
    counts
        Series of the metric that the match table opens on, by their marks.
    trend
        Values of all series at the newest commits, relative to their mean.
    open_regressions
        Changes for the worse that nobody has dealt with.
    headline
        The largest of the newest of these.
    silent
        Machines that stopped measuring.
    """

    name: str
    group: str
    commit: Commit | None
    counts: Mapping[Mark, int]
    regions: int
    trend: tuple[float, ...]
    open_regressions: int
    headline: Headline | None
    machines: tuple[str, ...]
    last_run_at: datetime | None
    silent: tuple[SilentMachine, ...]

    @property
    def urgency(self) -> tuple[bool, int, float, str]:
        """The sort key: what has run, open regressions, share of mismatches, name."""
        judged = sum(self.counts.values())
        worse = self.counts.get(Mark.MISMATCH, 0) / judged if judged else 0.0
        return self.last_run_at is None, -self.open_regressions, -worse, self.name


def project_rows(session: Session) -> tuple[ProjectRow, ...]:
    """Return every project that the caller may see, worst first."""
    known = projects.listed(session)
    stored = overviews.of_all(session)
    seen = defaultdict[int, list[tuple[str, datetime]]](list)
    for project_id, name, last_run_at in machines.seen_anywhere(session):
        seen[project_id].append((name, last_run_at))
    shown = {
        row.id: Overview.read(stored[row.id])
        if row.id in stored
        else counted(session, row)
        for row in known
    }
    opened = defaultdict[int, list[tables.Regression]](list)
    for regression in regressions.worse_anywhere(session, RegressionState.OPEN):
        opened[regression.project_id].append(regression)
    headlines = _headlines(
        session,
        {
            key: [row for row in rows if row.kind not in regressions.FINDINGS][
                :LOOKED_AT
            ]
            for key, rows in opened.items()
        },
    )
    at = commits.identified(
        session, {each.commit_id for each in shown.values() if each}
    )
    groups = groups_of([row.name for row in known])

    def row(project: tables.Project) -> ProjectRow:
        overview = shown[project.id]
        commit = at.get(overview.commit_id) if overview else None
        metric = overview.metric if overview else None
        return ProjectRow(
            name=project.name,
            group=groups[project.name],
            commit=commit_of(commit) if commit else None,
            counts=overview.counts.get(metric, {}) if overview and metric else {},
            regions=overview.regions if overview else 0,
            trend=overview.trend if overview else (),
            open_regressions=len(opened[project.id]),
            headline=headlines.get(project.id),
            machines=tuple(name for name, _ in seen[project.id]),
            last_run_at=max((last for _, last in seen[project.id]), default=None),
            silent=silent_machines(seen[project.id]),
        )

    return tuple(sorted(map(row, known), key=lambda row: row.urgency))


def groups_of(names: Sequence[str]) -> dict[str, str]:
    """Return how each name begins, up to a sign between words, where several do.

    Few projects are in no groups, nor are those whose names all begin alike.
    """
    beginnings = {name: _beginning(name) for name in names}
    often = Counter(beginnings.values())
    if len(names) <= UNGROUPED or len(often) == 1:
        return dict.fromkeys(names, "")
    return {
        name: beginning if often[beginning] >= FEWEST_ALIKE else ""
        for name, beginning in beginnings.items()
    }


def _beginning(name: str) -> str:
    for place, sign in enumerate(name):
        if place and sign in " .:-_":
            return name[:place]
    return ""


def worst_open(session: Session, name: str) -> tuple[Headline, int] | None:
    """Return the largest of the open regressions of a project, and how many there are.

    None without any.
    """
    project_id = projects.existing(session, name).id
    rows = regressions.of_project(session, project_id, [RegressionState.OPEN])
    opened = {project_id: [row for row in rows if row.is_worse]}
    worst = _headlines(session, opened).get(project_id)
    others = regressions.findings(session, project_id)
    number = sum(row.state == RegressionState.OPEN for row in others)
    return None if worst is None else (worst, number + len(opened[project_id]))


def _headlines(
    session: Session, opened: Mapping[int, Sequence[tables.Regression]]
) -> dict[int, Headline]:
    """Return the largest of some regressions of each project."""
    known = [row for rows in opened.values() for row in rows]
    # A regression is written anew, with its sentence, when its series change.
    keys = [
        key_of("largest", row.id, row.sentence, str(row.opened_at)) for row in known
    ]
    largest = {
        row.id: member
        for row, member in zip(
            known,
            _LARGEST.answers(
                keys, lambda places: _largest(session, [known[at].id for at in places])
            ),
            strict=True,
        )
        if member is not None
    }
    worst = {
        project_id: max(
            (row for row in rows if row.id in largest),
            key=lambda row: abs(log(largest[row.id].details.largest_factor)),
            default=None,
        )
        for project_id, rows in opened.items()
    }
    begun = commits.identified(
        session, {row.first_commit_id for row in worst.values() if row}
    )
    return {
        project_id: Headline.of(largest[row.id], commit_of(begun[row.first_commit_id]))
        for project_id, row in worst.items()
        if row is not None
    }


def _largest(
    session: Session, regression_ids: Sequence[int]
) -> list[regressions.Member | None]:
    """Return the series that each regression changed most, None where none is left."""
    members = regressions.members(session, regression_ids)
    return [
        max(
            members.get(number, ()),
            key=lambda member: abs(log(member.details.largest_factor)),
            default=None,
        )
        for number in regression_ids
    ]
