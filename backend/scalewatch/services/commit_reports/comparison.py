"""A commit beside its baseline, compared once for the report and for the gate.

Constants of series whose growth is as before: a history shows how far a series scatters
from commit to commit, and where a machine has nights enough before the commit, they
decide. Two commits do not show it: of others `factors` tells what all jobs of both say.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log, log1p
from typing import Final, Self

from sqlalchemy.orm import Session

from scalewatch.modelling import Direction, Noise
from scalewatch.modelling.measurements.assumptions import USUAL
from scalewatch.services.commit_reports.changes import (
    SeriesChange,
    changes_between,
    changes_of_measured,
)
from scalewatch.services.commit_reports.factors import (
    LEAST_CONSTANT,
    ConstantChange,
    Jobs,
    agreed_directions,
    exact_constant,
    level_of,
    noisy_constants,
)
from scalewatch.services.commit_reports.pairs import GROWS_ALIKE, ChangeKind
from scalewatch.services.commits.baselines import (
    Baseline,
    Relation,
    baseline_of,
    merge_base_of,
)
from scalewatch.services.commits.find import commit_of, find_commit
from scalewatch.services.commits.lineage import USUAL_MAIN
from scalewatch.services.commits.main_line import line_up_to, watched_line
from scalewatch.services.common_mode.newest_commit import (
    MOST_NIGHTS,
    NOTHING,
    NewestNights,
    calendar_of,
    newest_histories,
    newest_nights,
)
from scalewatch.services.common_mode.project_history import smallest_effect
from scalewatch.services.series.judged import Middles
from scalewatch.services.series.snapshots import CommitSnapshot
from scalewatch.settings import ALARMING_SHARE
from scalewatch.storage import tables
from scalewatch.storage.commits import commits
from scalewatch.storage.commits.commits import AnyCommit, identified
from scalewatch.storage.judgements.verdicts import measured_series

LOOKED_BACK: Final = 30
"""Commits before the baseline among which series are sought that it lacks."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Two commits, and what tells whether the level of a series changed between them.

    Parameters
    ----------
    differing
        Noisy series whose medians differ enough to ask more of them.
    nights
        The later commit beside the nights before it, in the metrics of these series
        and of those of which no growth tells.
    """

    before: CommitSnapshot
    after: CommitSnapshot
    differing: Collection[int]
    nights: NewestNights


@dataclass(frozen=True, slots=True)
class OlderCommit:
    """A commit before the baseline, beside which series stand that the baseline lacks.

    Parameters
    ----------
    levels
        Both commits, with what tells whether constants changed.
    changes
        Of these series.
    """

    levels: Levels
    changes: tuple[SeriesChange, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """A commit beside its baseline.

    Parameters
    ----------
    baseline
        None where nothing was measured before.
    metrics
        All that were measured, here or at the baseline.
    changes
        Of all series between the two, worst first.
    levels
        Both commits, with what tells whether constants changed; None without a
        baseline.
    older
        Commits before the baseline that measured what it did not, newest first.
    """

    project: tables.Project
    row: AnyCommit
    baseline: Baseline | None
    after: CommitSnapshot
    metrics: tuple[str, ...]
    changes: tuple[SeriesChange, ...]
    levels: Levels | None
    older: tuple[OlderCommit, ...] = ()

    @property
    def before(self) -> CommitSnapshot | None:
        """The baseline, if there is one."""
        return self.levels.before if self.levels else None

    @property
    def absent(self) -> tuple[str, ...]:
        """Machines that measured the baseline and have not measured this commit."""
        then = self.before.environments if self.before else {}
        only = self.after.only
        return tuple(
            name
            for name in then
            if name not in self.after.environments and only in {None, name}
        )


Minded = Mapping[int, tuple[SeriesChange, float]]
"""Series by id, with the share by which the constant of each has to differ."""


@dataclass(frozen=True, slots=True)
class Versions:
    """A commit and its baseline; None where nothing was measured before."""

    project: tables.Project
    row: AnyCommit
    baseline: Baseline | None

    @classmethod
    def find(
        cls,
        session: Session,
        project: tables.Project,
        reference: str | None,
        against: str | None,
    ) -> Self:
        """Find a commit and its baseline.

        Parameters
        ----------
        reference, against
            The commit and the baseline as `find_commit` takes them; no baseline is the
            merge base of a branch, and the nearest commit of any other one.

        Raises
        ------
        NotFound, NotMeasured, AmbiguousReference
            If a commit is unknown.
        """
        row = find_commit(session, project, reference)
        base = None if against else merge_base_of(session, project, row)
        baseline = baseline_of(session, project, row, against or base)
        if baseline is not None and base is not None:
            baseline = replace(baseline, relation=Relation.MERGE_BASE)
        return cls(project, row, baseline)

    def snapshots(
        self, session: Session
    ) -> tuple[CommitSnapshot, CommitSnapshot | None]:
        """Return the commit, and its baseline."""
        after, base = CommitSnapshot.of(session, self.row), self.baseline
        if base is None:
            return after, None
        return after, CommitSnapshot(session, self.project.id, base.id)


def compared(
    session: Session,
    versions: Versions,
    machine: str | None = None,
    alarming_share: float = ALARMING_SHARE,
) -> Comparison:
    """Return a commit beside its baseline.

    Parameters
    ----------
    machine
        The machine that is compared of a wide commit; None: the first.
    alarming_share
        Share of histories of 200 commits that may alarm although nothing changed.
    """
    project, row, baseline = versions.project, versions.row, versions.baseline
    after, before = versions.snapshots(session)
    after = after.within_bounds(machine, before)
    if before is None:
        return Comparison(
            project, row, None, after, tuple(sorted(after.metrics)), (), None
        )
    before = replace(before, only=after.only)
    metrics = tuple(sorted({*before.metrics, *after.metrics}))
    changes = changes_between(before, after, metrics)
    older = _older(
        identified(session, [before.commit_id])[before.commit_id],
        after,
        changes,
        alarming_share,
    )
    beside = {each.series_id: each for old in older for each in old.changes}
    changes = tuple(beside.get(each.series_id, each) for each in changes)
    levels = levels_of(before, after, changes, alarming_share)
    changes = tuple(
        each.incomparable() if each.series_id in levels.nights.begun else each
        for each in changes
    )
    least = max(LEAST_CONSTANT, smallest_effect(session, project.id))
    constants = changed_constants(levels, changes, lambda _: least)
    for old in older:
        constants |= changed_constants(old.levels, old.changes, lambda _: least)
    worst_first = sorted(
        (
            each.with_constant(constants.get(each.series_id)).beside_earlier(
                levels.nights.usual.get(each.series_id)
            )
            for each in changes
        ),
        key=lambda change: change.urgency,
    )
    return Comparison(
        project, row, baseline, after, metrics, tuple(worst_first), levels, older
    )


def _older(
    base: AnyCommit,
    after: CommitSnapshot,
    changes: Sequence[SeriesChange],
    share: float,
) -> tuple[OlderCommit, ...]:
    """Return commits before the baseline that measured series which it lacks.

    Such a series is not new: a job that failed at the baseline, or a suite that is run
    now and then, must not hide that it became slower. Those of other branches are none.
    """
    missing = {each.series_id for each in changes if each.kind is ChangeKind.NEW}
    if not missing or after.is_wide:
        return ()
    session, branches = after.session, {None, base.branch, *USUAL_MAIN}
    rows = commits.of_project(session, base.project_id, before=base, limit=LOOKED_BACK)
    rows = [row for row in rows if row.branch in branches]
    held = measured_series(session, [row.id for row in rows], missing)
    older = []
    for row in rows:
        if ids := held.get(row.id, frozenset()) & missing:
            missing -= ids
            earlier = CommitSnapshot(session, base.project_id, row.id, after.only)
            metrics = tuple(sorted({*earlier.metrics, *after.metrics}))
            beside = tuple(
                replace(each, since=commit_of(row).named)
                for each in changes_of_measured(earlier, after, metrics)
                if each.series_id in ids
            )
            older.append(OlderCommit(levels_of(earlier, after, beside, share), beside))
    return tuple(older)


def levels_of(
    before: CommitSnapshot,
    after: CommitSnapshot,
    changes: Sequence[SeriesChange],
    share: float,
) -> Levels:
    """Read what tells whether levels changed between two commits.

    Parameters
    ----------
    share
        Share of histories of 200 commits that may alarm although nothing changed.
    """
    noisy = {each.series_id: each.metric for each in changes if not each.is_exact}
    ids = sorted(noisy)

    def differing() -> list[int]:
        early, late = before.medians(ids), after.medians(ids)
        common = [key for key in ids if key in early and key in late]
        enough = log1p(LEAST_CONSTANT) / 2
        return [key for key in common if _distance(early[key], late[key]) > enough]

    apart = after.kept(("differing", ids), differing, beside=[before])
    told_by_levels = {each.metric for each in changes if each.is_told_by_levels}
    metrics = sorted({noisy[each] for each in apart} | told_by_levels)
    nights = after.kept(
        ("newest nights", metrics, share),
        lambda: _nights(before, after, metrics, share) if metrics else NOTHING,
        lambda nights: 0.1 * len(nights.known),
        beside=[before],
    )
    return Levels(before, after, frozenset(apart), nights)


def changed_constants(
    levels: Levels,
    changes: Sequence[SeriesChange],
    least: Callable[[SeriesChange], float | None],
) -> dict[int, ConstantChange]:
    """Return how constants surely changed, of series whose growth is as before.

    Parameters
    ----------
    changes
        Of series between the two commits.
    least
        Returns the share by which the constant of a series has to differ at least;
        None if it does not matter.
    """
    minded = {
        each.series_id: (each, share)
        for each in sorted(changes, key=lambda change: change.series_id)
        if each.kind in GROWS_ALIKE
        and each.series_id not in levels.nights.begun
        and (share := least(each)) is not None
    }
    exact = {key: each for key, each in minded.items() if each[0].is_exact}
    noisy = {key: each for key, each in minded.items() if key not in exact}
    shares = [(key, share) for key, (_, share) in noisy.items()]
    constants: dict[int, ConstantChange] = {}
    if exact:
        early, late = levels.before.medians(exact), levels.after.medians(exact)
        constants = _exact(exact, early, late)
    # The noise of series comes with the editions of both commits.
    return constants | levels.after.kept(
        ("constants", shares), lambda: _noisy(levels, noisy), beside=[levels.before]
    )


def _nights(
    before: CommitSnapshot, after: CommitSnapshot, metrics: Sequence[str], share: float
) -> NewestNights:
    """Read the nights before a commit, up to its baseline, and compare it with them."""
    session, project_id = after.session, after.project_id
    rows = identified(session, (before.commit_id, after.commit_id))
    baseline, commit = rows[before.commit_id], rows[after.commit_id]
    line = line_up_to(watched_line(session, project_id), baseline, commit, MOST_NIGHTS)
    histories = newest_histories(session, project_id, line, metrics, after.only)
    jobs = after.pools_by_job([each.series.id for each in histories])
    machines = sorted({each.series.machine_id for each in histories})
    calendars = {each: calendar_of(session, line, each) for each in machines}
    baseline_at = len(line.commits) - 2
    return replace(
        newest_nights(histories, jobs, calendars, share),
        begun={
            each.series.id: (each.former, each.fingerprint_id)
            for each in histories
            if each.former is not None and baseline_at not in each.positions
        },
    )


def _exact(
    minded: Minded, early: Mapping[int, Middles], late: Mapping[int, Middles]
) -> dict[int, ConstantChange]:
    constants = {
        key: exact_constant(change, early[key].values, late[key].values, least)
        for key, (change, least) in minded.items()
        if key in early and key in late
    }
    return {key: each for key, each in constants.items() if each is not None}


def _noisy(levels: Levels, minded: Minded) -> dict[int, ConstantChange]:
    """Return the series whose constants changed, by nights or by two commits alone.

    Of series without nights enough all jobs of both commits have to say the same.
    """
    before, after, nights = levels.before, levels.after, levels.nights
    apart = {key: each for key, each in minded.items() if key in levels.differing}
    constants = _by_nights(
        nights, {key: each for key, each in apart.items() if key in nights.known}
    )
    alone = {key: each for key, each in apart.items() if key not in nights.known}
    if not alone:
        return constants
    early, late = before.pools_by_job(alone), after.pools_by_job(alone)
    noise: dict[int, Noise] = {
        key: change.after.noise or USUAL for key, (change, _) in alone.items()
    }
    jobs = {
        key: Jobs(early[key], late[key], noise[key], least, change.is_cost)
        for key, (change, least) in sorted(alone.items())
        if key in early and key in late
    }
    # As many may be wrong as if all machines were compared at once.
    among = len(minded) if after.only is None else after.whole_series
    agreed = agreed_directions(jobs, level_of(among))
    earlier, later = before.pools(agreed), after.pools(agreed)
    return constants | noisy_constants(
        agreed, {key: (earlier[key], later[key], noise[key]) for key in agreed}
    )


def _by_nights(nights: NewestNights, minded: Minded) -> dict[int, ConstantChange]:
    """Return the constants that differ from the nights before by more than these do."""
    return {
        key: ConstantChange(
            direction=Direction.WORSE if move.is_worse else Direction.BETTER,
            factor=move.factor.value,
            low=move.factor.low,
            high=move.factor.high,
            probability=None,
            is_throughout=False,
            jobs=move.jobs,
            nights=move.nights,
        )
        for key, (_, least) in minded.items()
        if (move := nights.outstanding.get(key)) is not None
        and not 1 / (1 + least) <= move.factor.value <= 1 + least
    }


def _distance(before: Middles, after: Middles) -> float:
    """Return the mean distance of the logarithms of medians at common settings."""
    common = [
        (before.values[at], after.values[at])
        for at in before.values.keys() & after.values.keys()
    ]
    if not common or min(min(pair) for pair in common) <= 0:
        return 0.0
    # Six medians of each of hundreds of series: arrays of numpy would take ten times
    # as long.
    return abs(sum(log(late / early) for early, late in common) / len(common))
