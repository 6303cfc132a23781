"""The tally of a gate: every series of a commit counted once, by its outcome.

The worst finding about a series decides, without one the kind of its change. A finding
about a night covers all noisy series of its machine and metric that both commits
measured; one that names some settings covers the series that have these. Series of
machines that have not measured the commit count where a finding names them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.outcomes import SeriesOutcome
from scalewatch.services.commit_reports.pairs import ChangeKind, SeriesKey
from scalewatch.services.gates.findings import (
    NIGHT,
    GateFinding,
    series_of,
)
from scalewatch.services.regressions.regressions import Member

KEPT: Final = 40_000
"""Changes that are kept with their outcome."""

OF_KINDS: Final = {
    ChangeKind.MISMATCH: SeriesOutcome.ACCEPTED,
    ChangeKind.FAILED: SeriesOutcome.UNMEASURED,
    ChangeKind.WORSE: SeriesOutcome.ACCEPTED,
    ChangeKind.WORSE_CONSTANT: SeriesOutcome.ACCEPTED,
    ChangeKind.MISSING: SeriesOutcome.UNMEASURED,
    ChangeKind.BETTER: SeriesOutcome.BETTER,
    ChangeKind.BETTER_CONSTANT: SeriesOutcome.BETTER,
    ChangeKind.NEW: SeriesOutcome.NEW,
    ChangeKind.UNDECIDED: SeriesOutcome.UNDECIDED,
    ChangeKind.UNCHANGED: SeriesOutcome.UNCHANGED,
}
"""Outcomes without a finding: what is worse then, somebody or a rule accepts."""

_RANK: Final[dict[SeriesOutcome | None, int]] = {
    outcome: rank for rank, outcome in enumerate(SeriesOutcome)
}


@dataclass(frozen=True, slots=True)
class Tally:
    """The outcome of each series of a commit."""

    outcomes: Mapping[SeriesKey, SeriesOutcome]

    @property
    def counts(self) -> dict[SeriesOutcome, int]:
        """Number of series by outcome; every outcome has an entry."""
        found = Counter(self.outcomes.values())
        return {outcome: found[outcome] for outcome in SeriesOutcome}

    @property
    def total(self) -> int:
        """Number of series."""
        return len(self.outcomes)

    def told(self, changes: Iterable[SeriesChange]) -> tuple[SeriesChange, ...]:
        """Return changes with their outcomes, the worst first.

        Parameters
        ----------
        changes
            Of each outcome the most urgent first.
        """
        told = [_with_outcome(e, self.outcomes[e.key]) for e in changes]
        return tuple(sorted(told, key=lambda each: _RANK[each.outcome]))


def tally_of(
    changes: Sequence[SeriesChange],
    findings: Iterable[GateFinding],
    accepted: Iterable[Member] = (),
) -> Tally:
    """Return the outcome of each series.

    Parameters
    ----------
    accepted
        Series that are worse for a cause that somebody, or a rule, has accepted.
    """
    outcomes = {each.key: OF_KINDS[each.kind] for each in changes}
    by_place = _by_place(changes)
    for member in accepted:
        for key in _covered(member, by_place):
            outcomes[key] = _worst(outcomes.get(key), SeriesOutcome.ACCEPTED)
    for finding in findings:
        if finding.kind == NIGHT:
            covered = _of_night(finding, changes)
        else:
            covered = _covered(finding, by_place)
        for key in covered:
            outcomes[key] = _worst(outcomes.get(key), outcome_of_finding(finding))
    return Tally(outcomes)


def outcome_of_finding(finding: GateFinding) -> SeriesOutcome:
    """Return what a finding makes of its series."""
    if finding.is_sure:
        return SeriesOutcome.WORSE
    is_suspicion = finding.is_suspicion
    return SeriesOutcome.SUSPECTED if is_suspicion else SeriesOutcome.UNMEASURED


def _worst(known: SeriesOutcome | None, other: SeriesOutcome) -> SeriesOutcome:
    return other if known is None else min(known, other, key=_RANK.__getitem__)


# The changes between two commits are the same objects until something changes there.
@lru_cache(KEPT)
def _with_outcome(change: SeriesChange, outcome: SeriesOutcome) -> SeriesChange:
    return replace(change, outcome=outcome)


_Place = tuple[str, str, str]


def _by_place(
    changes: Iterable[SeriesChange],
) -> Mapping[_Place, Sequence[SeriesChange]]:
    found: dict[_Place, list[SeriesChange]] = defaultdict(list)
    for each in changes:
        found[each.region, each.metric, each.machine].append(each)
    return found


def _covered(
    about: GateFinding | Member, by_place: Mapping[_Place, Sequence[SeriesChange]]
) -> list[SeriesKey]:
    """Return the series of this configuration, else those that have its settings."""
    own = series_of(about)
    here = by_place.get((about.region, about.metric, about.machine), ())
    keys = [each.key for each in here]
    if own in keys or not here:
        return [own]
    settings = about.configuration.items()
    found = [
        key
        for key, each in zip(keys, here, strict=True)
        if settings <= each.configuration.items()
    ]
    return found or [own]


def _of_night(finding: GateFinding, changes: Iterable[SeriesChange]) -> list[SeriesKey]:
    return [
        each.key
        for each in changes
        if (each.machine, each.metric) == (finding.machine, finding.metric)
        and each.is_comparable
        and not each.is_exact
    ]
