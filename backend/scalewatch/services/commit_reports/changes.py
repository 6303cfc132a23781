"""Changes between two commits, series by series."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scalewatch.modelling import GrowthOdds, all_growth_odds
from scalewatch.modelling.common_mode.earlier_commits import UsualFactor
from scalewatch.services.commit_reports.factors import ConstantChange
from scalewatch.services.commit_reports.pairs import (
    SAME,
    STILL,
    WORSE,
    ChangeKind,
    SeriesOutcome,
    SeriesPair,
    kind_of,
    kind_with,
)
from scalewatch.services.series.judged import Judged
from scalewatch.services.series.snapshots import CommitSnapshot, regions_in_parts
from scalewatch.services.series.standing import UNMEASURED, Standing


@dataclass(frozen=True, eq=False)
class SeriesChange(SeriesPair[Standing]):
    """A series at two commits.

    Parameters
    ----------
    is_composed
        Whether a composed model is expected: verdicts are on measured/composed.
    constant
        How its constant changed, where the growth is as before and that is sure.
    odds
        How probably it scales worse or better than before, where both are modelled.
    failures
        Where no run succeeded though others did, and why: `p = 32: out of memory`.
    usual
        Its one value beside the commits before.
    outcome
        The word of the gate on it; None before a gate was asked.
    since
        The older commit beside which it stands, as the baseline lacks it; None: that.
    """

    kind: ChangeKind
    series_id: int
    region: str
    metric: str
    unit: str
    machine: str
    slot: int
    configuration: Mapping[str, Any]
    before: Standing
    after: Standing
    odds: GrowthOdds | None
    constant: ConstantChange | None = None
    is_composed: bool = False
    failures: tuple[str, ...] = ()
    usual: UsualFactor | None = None
    outcome: SeriesOutcome | None = None
    since: str | None = None
    is_cost: bool = field(default=True, repr=False)

    @property
    def standing(self) -> Standing:
        """Its standing at the commit of the report."""
        return self.after

    @property
    def is_still(self) -> bool:
        """Whether no change of it is known."""
        return self.kind in SAME if self.outcome is None else self.outcome in STILL

    @property
    def is_worse(self) -> bool:
        """Whether it became worse, or is suspected to have."""
        if self.outcome is None:
            return self.kind in WORSE or self.kind is ChangeKind.WORSE_CONSTANT
        return self.outcome in {SeriesOutcome.WORSE, SeriesOutcome.SUSPECTED}

    def with_constant(self, constant: ConstantChange | None) -> "SeriesChange":
        """Return it with a change of its constant, whose growth is as before."""
        if constant is None:
            return self
        return replace(self, kind=kind_with(self.kind, constant), constant=constant)

    def incomparable(self) -> "SeriesChange":
        """Return it as one of which the baseline tells nothing, if that measured it."""
        return replace(self, kind=ChangeKind.UNDECIDED) if self.is_comparable else self

    @property
    def is_told_by_levels(self) -> bool:
        """Whether no growth tells anything of it, so that earlier commits have to."""
        is_open = self.kind is ChangeKind.UNDECIDED and self.odds is None
        return is_open and self.is_comparable and not self.is_exact

    def beside_earlier(self, usual: UsualFactor | None) -> "SeriesChange":
        """Return it with its value beside earlier commits, which may call it fine."""
        if usual is None or not self.is_told_by_levels:
            return self
        stays = usual.stays(is_cost=self.is_cost)
        kind = ChangeKind.UNCHANGED if stays else self.kind
        return replace(self, kind=kind, usual=usual)


KIND_KILOBYTES: Final = 0.1
"""Memory of the kind of a change, by its series."""

CHANGE_KILOBYTES: Final = 0.5
"""Memory of a change; the standings that it compares are kept anyway."""


def changes_between(
    before: CommitSnapshot, after: CommitSnapshot, metrics: Collection[str]
) -> tuple[SeriesChange, ...]:
    """Return the changes of all series between an earlier commit and this one.

    Of machines that measured this one, series can be missing.
    """
    again = {each.series_id for each in after.judged(metrics)}
    return (
        *changes_of_measured(before, after, metrics),
        *(
            _change(replace(each, standing=UNMEASURED), each.standing, None)
            for each in before.judged(metrics)
            if each.series_id not in again and each.machine in after.environments
        ),
    )


def changes_of_measured(
    before: CommitSnapshot, after: CommitSnapshot, metrics: Collection[str]
) -> tuple[SeriesChange, ...]:
    """Return the changes since an earlier commit of the series that a commit measured.

    Kept, since home, match table and report compare the same thousands of series.
    """
    return after.kept(
        ("changes",),
        lambda: _changes(before.judged(metrics), after.judged(metrics)),
        lambda changes: CHANGE_KILOBYTES * len(changes),
        metrics=metrics,
        beside=[before],
    )


def kinds_of_measured(
    before: CommitSnapshot, after: CommitSnapshot, metrics: Collection[str]
) -> Mapping[int, ChangeKind]:
    """Return how series changed since an earlier commit that this commit measured.

    Of wide commits, part by part: nothing else is kept of the comparison.
    """
    if not (after.is_wide or before.is_wide):
        changes = changes_of_measured(before, after, metrics)
        return {each.series_id: each.kind for each in changes}

    def kinds() -> Mapping[int, ChangeKind]:
        return {
            change.series_id: change.kind
            for regions in regions_in_parts(after.outlined(metrics))
            for change in _changes(
                before.part(metrics, regions), after.part(metrics, regions)
            )
        }

    return after.kept(
        ("kinds of changes",),
        kinds,
        lambda kinds: KIND_KILOBYTES * len(kinds),
        metrics=metrics,
        beside=[before],
    )


def counts_of(changes: Iterable[SeriesChange]) -> Mapping[ChangeKind, int]:
    """Count changes; every kind has an entry."""
    number = Counter(change.kind for change in changes)
    return {kind: number[kind] for kind in ChangeKind}


def _changes(
    before: Sequence[Judged], after: Sequence[Judged]
) -> tuple[SeriesChange, ...]:
    """Compare series at a commit with the same series at the baseline."""
    earlier = {each.series_id: each.standing for each in before}
    pairs = [(each, earlier.get(each.series_id, UNMEASURED)) for each in after]
    odds = all_growth_odds(
        [
            (was.class_probability, each.standing.class_probability)
            for each, was in pairs
        ]
    )
    return tuple(map(_change, *zip(*pairs, strict=True), odds)) if pairs else ()


def _change(later: Judged, before: Standing, odds: GrowthOdds | None) -> SeriesChange:
    after, is_cost = later.standing, later.better == "lower"
    return SeriesChange(
        kind=kind_of(before, after, odds, is_cost=is_cost),
        series_id=later.series_id,
        region=later.region,
        metric=later.metric,
        unit=later.unit,
        machine=later.machine,
        slot=later.slot,
        configuration=later.configuration,
        before=before,
        after=after,
        odds=odds,
        is_cost=is_cost,
        is_composed=later.composition is not None,
        failures=later.failures,
    )
