"""The regressions of a project, as their users see them: states, members, events."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from fnmatch import fnmatchcase
from math import inf
from typing import Any, Final, Self

from sqlalchemy.orm import Session

from scalewatch.errors import NotFound
from scalewatch.modelling.attribution import ChangeClass
from scalewatch.services.commits.find import Commit, commit_of
from scalewatch.services.confirmations.next_steps import NextStep, cheapest, jobs_at
from scalewatch.services.confirmations.requests import Confirmation, confirmations_in
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.storage import tables
from scalewatch.storage.access import projects
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import Stored
from scalewatch.storage.histories import regressions
from scalewatch.storage.histories.regressions import RegressionShift, ShiftDetails

UNLISTED: Final[dict[str, Any]] = {
    "drifts": 0,
    "largest_drifts": (),
    "unsearched": 0,
    "passing": 0,
    "newest_passing": (),
    "slow": (),
}
"""Fields that detections lack which were stored before these were listed."""


class RegressionState(StrEnum):
    """The state of a regression."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    EXPECTED = "expected"  # the new level is the baseline
    FIXED = "fixed"  # the former level has returned
    IMPROVED = "improved"  # a change for the better: nothing is to be done


SETTABLE: Final = (
    RegressionState.OPEN,
    RegressionState.ACKNOWLEDGED,
    RegressionState.EXPECTED,
)
"""States that people give; the others follow from measurements."""


NAMED: Final = 12
"""Digits of a hash in the name of a regression."""

BETTER: Final = "better-"
"""Beginning of the kind of an improvement in its name."""


@dataclass(frozen=True, slots=True)
class Member:
    """A series that changed, with the details of its change.

    Parameters
    ----------
    first_sha, last_sha
        The commits that may have changed it.
    """

    series_id: int
    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]
    first_sha: str
    last_sha: str
    details: ShiftDetails


class RegressionKind(StrEnum):
    """The kind of a regression: a change in a history, or a finding about a series."""

    GROWTH = "growth"
    CONSTANT = "constant"
    FAILURE = "failure"  # runs fail that succeeded, or never did
    EXPECTATION = "expectation"  # the newest commit scales worse than expected
    DRIFT = "drift"  # slowly worse, by no single commit


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding about a series, and about those that fare alike on other machines.

    Parameters
    ----------
    machine
        Where that is surest; `others` fare alike.
    series
        Ids of all of them, the surest first.
    words
        What is wrong: `failed at p = 64: out of memory`.
    growth, expectation
        How it grows where it should grow otherwise.
    probability, factor
        How surely, and how much worse; None where that has no number.
    """

    region: str
    metric: str
    machine: str
    others: tuple[str, ...]
    series: tuple[int, ...]
    configuration: Mapping[str, Any]
    words: str
    growth: str | None = None
    expectation: str | None = None
    probability: float | None = None
    factor: float | None = None

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Finding":
        """Return a finding as it is stored."""
        listed = {name: tuple(stored[name]) for name in ("others", "series")}
        return cls(**{**stored, **listed})

    def beside(self, before: "Finding", stays: Sequence[int]) -> "Finding":
        """Return it with series, and their machines, that may fare as before."""
        if not stays:
            return self
        machines = {*self.others, before.machine, *before.others} - {self.machine}
        return replace(
            self,
            others=tuple(sorted(machines)),
            series=tuple(dict.fromkeys((*self.series, *stays))),
        )


@dataclass(frozen=True, slots=True)
class RegressionEvent:
    """An event in the life of a regression."""

    at: datetime
    actor: str
    action: str
    note: str | None


@dataclass(frozen=True, slots=True)
class Regression:
    """A cause, with what it changed, worst first.

    Parameters
    ----------
    first, last
        The commits that may be it.
    is_sure
        Whether more than chance and one job speak for it.
    next_step
        The cheapest measurement that would tell, while it is only suspected.
    owner
        As somebody said, or else as the project says of its regions.
    finding
        Of a regression that is no change in a history.
    """

    id: int
    project: str
    kind: str
    is_worse: bool
    is_sure: bool
    state: RegressionState
    first: Commit
    last: Commit
    fixed_by: Commit | None
    suspect: str | None
    sentence: str
    owner: str | None
    link: str | None
    opened_at: datetime
    changed_at: datetime
    members: tuple[Member, ...]
    next_step: NextStep | None = None
    events: tuple[RegressionEvent, ...] = ()
    finding: Finding | None = None

    @property
    def change(self) -> str:
        """The change in few words."""
        if self.finding is not None:
            return self.finding.words
        way = "worse" if self.is_worse else "better"
        if self.has_one_setting:
            return way
        if self.kind == ChangeClass.CONSTANT:
            return f"{way} by a constant factor"
        return f"{way} {self.kind}"

    @property
    def has_one_setting(self) -> bool:
        """Whether none of its series has a growth that could change."""
        return self.finding is None and all(
            each.details.has_one_setting for each in self.members
        )

    @property
    def regions(self) -> tuple[str, ...]:
        """The regions that it changed, worst first."""
        if self.finding is not None:
            return (self.finding.region,)
        return tuple(dict.fromkeys(member.region for member in self.members))

    @property
    def machines(self) -> tuple[str, ...]:
        """The machines that it was seen on."""
        if self.finding is not None:
            return (self.finding.machine, *self.finding.others)
        return tuple(dict.fromkeys(member.machine for member in self.members))

    @property
    def urgency(self) -> tuple[int, bool, float, float]:
        """The sort key: by state, sure ones first, then large effects."""
        state = list(RegressionState).index(self.state)
        surely, seems = self.effect
        return state, not self.is_sure, -surely, -seems

    @property
    def effect(self) -> tuple[float, float]:
        """The largest factor that is sure, and the one that it seems to be.

        Infinite where runs fail.
        """
        if self.kind == RegressionKind.FAILURE:
            return inf, inf
        if self.finding is not None:
            factor = self.finding.factor or 1.0
            return max(factor, 1 / factor), max(factor, 1 / factor)
        return max(map(effect_of, self.members), default=(1.0, 1.0))

    @property
    def certainty(self) -> float | None:
        """Probability that it is no chance; None where that has no number."""
        if self.finding is not None:
            return self.finding.probability
        return 1 - self.worst.details.q_value if self.members else None

    @property
    def worst_series(self) -> int | None:
        """The id of the series with the largest effect; None where none is left."""
        if self.finding is not None:
            return self.finding.series[0]
        return self.members[0].series_id if self.members else None

    @property
    def worst(self) -> Member:
        """The series with the largest effect."""
        return self.members[0]


@dataclass(frozen=True, slots=True)
class RegressionSummary:
    """A regression in a sentence."""

    id: int
    is_worse: bool
    state: RegressionState
    sentence: str


@dataclass(frozen=True, slots=True)
class Regressions:
    """The regressions of a project, and how far they can be trusted.

    Parameters
    ----------
    detection
        What the newest detection says of the whole: series looked at, false changes
        to expect, new baselines; None before the first one.
    counts
        Number of all regressions by state.
    confirmations
        Runs that were asked for to confirm what is suspected, newest first.
    """

    project: str
    states: tuple[RegressionState, ...]
    regressions: tuple[Regression, ...]
    counts: Mapping[str, int]
    confirmations: tuple[Confirmation, ...]
    detection: Mapping[str, Any] | None


def effect_of(member: Member) -> tuple[float, float]:
    """Return by which factor a series surely changed, and by which it seems to have.

    At the target if that is known, where the interval is what is sure: a model that
    cannot be told from others may seem to be anything there.
    """
    at_target = member.details.at_target
    if at_target is None:
        factor = member.details.largest_factor
        effect = max(factor, 1 / factor)
        return effect, effect
    seems = max(at_target.value, 1 / at_target.value)
    return max(at_target.low, 1 / at_target.high, 1.0), seems


def regressions_of(
    session: Session, project_name: str, states: Sequence[RegressionState] = ()
) -> Regressions:
    """Return the regressions of a project in some states, or all, newest first.

    Raises
    ------
    NotFound
        If the project is unknown.
    """
    project = projects.existing(session, project_name)
    rows = regressions.of_project(session, project.id)
    shown = [row for row in rows if not states or row.state in states]
    detection = regressions.detection_of(session, project.id)
    return Regressions(
        project=project.name,
        states=tuple(states),
        regressions=complete(session, shown, {project.id: project.name}),
        counts={
            str(state): sum(row.state == state for row in rows)
            for state in RegressionState
        },
        confirmations=confirmations_in(session, project.id),
        # Nights are shown on the pages of machines.
        detection=UNLISTED
        | {name: each for name, each in detection.details.items() if name != "nights"}
        if detection
        else None,
    )


def summaries_of(shifts: Sequence[RegressionShift]) -> tuple[RegressionSummary, ...]:
    """Return the regressions that shifts are of in a sentence, newest first."""
    ordered = sorted(shifts, key=lambda shift: (shift.opened_at, shift.regression_id))
    newest = {each.regression_id: each for each in reversed(ordered)}
    return tuple(
        RegressionSummary(
            number, each.is_worse, RegressionState(each.state), each.sentence
        )
        for number, each in newest.items()
    )


def regressions_at(
    session: Session, project_id: int, commit_id: int
) -> tuple[Regression, ...]:
    """Return the regressions whose cause begins or ends at a commit, newest first."""
    rows = regressions.of_project(session, project_id, commit_id=commit_id)
    name = session.get_one(tables.Project, project_id).name
    return complete(session, rows, {project_id: name})


def regression_of(session: Session, project_name: str, number: int) -> Regression:
    """Return a regression with all that happened to it.

    Raises
    ------
    NotFound
        If the project has none with this id.
    """
    project = projects.existing(session, project_name)
    row = regressions.identified(session, project.id, number)
    (regression,) = complete(session, [row], {project.id: project.name})
    return regression


@dataclass(frozen=True, slots=True)
class RegressionName:
    """The content of a regression by which an address names it.

    Parameters
    ----------
    commit
        First commit that may be its cause: its hash, or the beginning of it.
    kind
        `growth` or `constant`; `better-growth` or `better-constant` of improvements.
    region, machine
        Where it was seen; None on any machine.
    """

    commit: str
    kind: str
    region: str
    machine: str | None = None

    @classmethod
    def of(cls, regression: Regression, *, with_machine: bool = False) -> Self:
        """Return the name of a regression, by its worst series."""
        worst = regression.worst
        return cls(
            regression.first.sha[:NAMED],
            f"{'' if regression.is_worse else BETTER}{regression.kind}",
            worst.region,
            worst.machine if with_machine else None,
        )


def names_of(
    session: Session, listed: Sequence[Regression]
) -> dict[int, RegressionName]:
    """Return the names of regressions, by their numbers.

    Those that no name tells from newer ones, or that lost their series, have none.
    """
    newest: dict[tuple[object, ...], int] = {}
    first = {}
    for number, *about, region, machine in regressions.named_places(
        session, [each.id for each in listed]
    ):
        first[number] = about
        newest.setdefault((*about, region), number)
        newest.setdefault((*about, region, machine), number)
    names = {}
    for cause in listed:
        if not cause.members:
            continue
        about, worst = first[cause.id], cause.worst
        if newest[*about, worst.region] == cause.id:
            names[cause.id] = RegressionName.of(cause)
        elif newest[*about, worst.region, worst.machine] == cause.id:
            names[cause.id] = RegressionName.of(cause, with_machine=True)
    return names


def regression_named(
    session: Session, project_name: str, name: RegressionName
) -> Regression:
    """Return the newest regression of a name, with all that happened to it.

    Raises
    ------
    NotFound
        If the project has none of this name.
    """
    project = projects.existing(session, project_name)
    rows = [
        row
        for row in regressions.begun_at(session, project.id, name.commit, name.region)
        if row.kind == name.kind.removeprefix(BETTER)
        and row.is_worse is not name.kind.startswith(BETTER)
    ]
    for regression in complete(session, rows, {project.id: project.name}):
        places = {(each.region, each.machine) for each in regression.members}
        if name.machine is None or (name.region, name.machine) in places:
            return regression
    raise NotFound("regression", f"{name.commit}/{name.kind}/{name.region}")


def complete(
    session: Session,
    rows: Sequence[tables.Regression],
    names: Mapping[int, str],
    *,
    is_brief: bool = False,
) -> tuple[Regression, ...]:
    """Return regressions with all that belongs to them.

    Parameters
    ----------
    names
        Of their projects, by id.
    is_brief
        Whether to leave out events, and runs that would settle suspicions.
    """
    ids = [row.id for row in rows]
    members = regressions.members(session, ids)
    named = commits.identified(
        session,
        {
            number
            for row in rows
            for number in (row.first_commit_id, row.last_commit_id, row.fixed_commit_id)
            if number is not None
        }
        | {
            number
            for row in rows
            for each in members.get(row.id, ())
            for number in (each.first_commit_id, each.last_commit_id)
        },
    )
    events = {} if is_brief else regressions.events(session, ids)
    owners = projects.owners(session, names)
    completed = []
    for row in rows:
        regression = _regression(
            row,
            names[row.project_id],
            named,
            members.get(row.id, []),
            events.get(row.id, ()),
            None if is_brief else _next_step(session, row, members.get(row.id, [])),
        )
        if regression.owner is None:
            owner = owner_of(regression.regions, owners.get(row.project_id, ()))
            regression = replace(regression, owner=owner)
        completed.append(regression)
    return tuple(completed)


def owner_of(regions: Sequence[str], owners: Sequence[Sequence[str]]) -> str | None:
    """Return the owner of the first region that a pattern fits, if one does."""
    return next(
        (
            name
            for region in regions
            for pattern, name in owners
            if fnmatchcase(region, pattern)
        ),
        None,
    )


def _next_step(
    session: Session, row: tables.Regression, members: Sequence[regressions.Member]
) -> NextStep | None:
    """Return the cheapest run that would tell whether a suspicion is right."""
    if row.is_sure or not row.is_worse or row.state != RegressionState.OPEN:
        return None
    places: dict[tuple[int, str], list[int]] = defaultdict(list)
    for member in members:
        places[member.machine_id, member.machine].append(member.series_id)
    last = CommitSnapshot(session, row.project_id, row.last_commit_id)
    return cheapest(
        jobs_at(last, *machine).step(series_ids)
        for machine, series_ids in places.items()
    )


def _regression(  # noqa: PLR0913, PLR0917 - one per table
    row: tables.Regression,
    project: str,
    named: Mapping[int, Stored],
    members: Sequence[regressions.Member],
    events: Sequence[tables.RegressionEvent],
    next_step: NextStep | None,
) -> Regression:
    listed = [
        Member(
            each.series_id,
            each.region,
            each.metric,
            each.machine,
            each.configuration,
            named[each.first_commit_id].sha,
            named[each.last_commit_id].sha,
            each.details,
        )
        for each in members
    ]
    return Regression(
        id=row.id,
        project=project,
        kind=row.kind,
        is_worse=row.is_worse,
        is_sure=row.is_sure,
        state=RegressionState(row.state),
        first=commit_of(named[row.first_commit_id]),
        last=commit_of(named[row.last_commit_id]),
        fixed_by=commit_of(named[row.fixed_commit_id]) if row.fixed_commit_id else None,
        suspect=row.suspect,
        sentence=row.sentence,
        owner=row.owner,
        link=row.link,
        opened_at=row.opened_at,
        changed_at=row.changed_at,
        members=tuple(sorted(listed, key=effect_of, reverse=True)),
        next_step=next_step,
        events=tuple(
            RegressionEvent(each.at, each.actor, each.action, each.note)
            for each in events
        ),
        finding=Finding.from_json(row.finding) if row.finding else None,
    )
