"""Pairs: a series at two versions of the code, and how it changed between them.

Commits of a server and versions of files are compared by the same kinds of change.
"""

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import Any, Final, Generic, Protocol, TypeVar

from scalewatch.modelling import Direction, Growth, GrowthOdds, Verdict
from scalewatch.modelling.common_mode.earlier_commits import UsualFactor
from scalewatch.modelling.measurements.batch import LEAST, NEEDED_SETTINGS
from scalewatch.services.commit_reports.factors import SURE, ConstantChange


class ChangeKind(StrEnum):
    """How a series differs from the baseline; worst first."""

    MISMATCH = "new mismatch"
    FAILED = "failed"
    WORSE = "scales worse"
    WORSE_CONSTANT = "worse constant"
    MISSING = "missing"
    BETTER = "improvement"
    BETTER_CONSTANT = "better constant"
    NEW = "new"
    UNDECIDED = "undecided"
    UNCHANGED = "unchanged"


class SeriesOutcome(StrEnum):
    """Words of the gate on a series at a commit; worst first."""

    WORSE = "worse"
    SUSPECTED = "suspected"
    UNMEASURED = "not measured"
    ACCEPTED = "accepted"
    BETTER = "better"
    NEW = "new"
    UNDECIDED = "undecided"
    UNCHANGED = "unchanged"


STILL: Final = frozenset({SeriesOutcome.UNDECIDED, SeriesOutcome.UNCHANGED})
"""Outcomes of series of which no change is known."""

_RANK: Final = {kind: place for place, kind in enumerate(ChangeKind)}
WORSE: Final = frozenset({ChangeKind.MISMATCH, ChangeKind.FAILED, ChangeKind.WORSE})
FINE: Final = frozenset({Verdict.MATCH, Verdict.APPROXIMATE})
SAME: Final = frozenset({ChangeKind.UNCHANGED, ChangeKind.UNDECIDED})
OF_CONSTANTS: Final = {
    Direction.WORSE: ChangeKind.WORSE_CONSTANT,
    Direction.BETTER: ChangeKind.BETTER_CONSTANT,
}
GROWS_ALIKE: Final = SAME | frozenset(OF_CONSTANTS.values())
"""Kinds of changes whose growth is as before, so that constants may be compared."""

SeriesKey = tuple[str, str, str, str]
"""Region, metric, machine and settings of a series: no other one has the same."""


class Side(Protocol):
    """A series at one version: what was found of it."""

    @property
    def is_measured(self) -> bool:
        """Whether anything succeeded of it."""

    @property
    def is_failed(self) -> bool:
        """Whether it was tried, and nothing succeeded."""

    @property
    def is_crowded(self) -> bool:
        """Whether it cannot be judged because processes shared cores."""

    @property
    def is_exact(self) -> bool:
        """Whether it is one of counts, which no repetition changes."""

    @property
    def is_explained(self) -> bool:
        """Whether a formula reproduces it and its growth explains it."""

    @property
    def points(self) -> int:
        """Number of settings that entered its model."""

    @property
    def repetitions(self) -> int:
        """Fewest repetitions at a setting."""

    @property
    def reason(self) -> str | None:
        """Why there is no model, no verdict or no measurement, in words."""

    @property
    def growth(self) -> Growth | None:
        """How its model grows."""

    @property
    def formula(self) -> str | None:
        """The one formula that reproduces exact counts, if there is one."""

    @property
    def class_probability(self) -> Mapping[Growth, float]:
        """Probabilities of growths."""

    @property
    def divergence(self) -> Growth | None:
        """Growth over expectation."""

    @property
    def verdict(self) -> Verdict | None:
        """Whether it scales as expected; None where nothing is."""

    @property
    def verdict_probability(self) -> Mapping[Verdict, float]:
        """Probabilities of verdicts."""

    @property
    def direction(self) -> Direction | None:
        """Whether it grows faster or slower than expected, as costs are judged."""


SideT = TypeVar("SideT", bound=Side)


class SeriesPair(Generic[SideT]):
    """A series at two versions; its kinds are dataclasses with these fields.

    Parameters
    ----------
    machine
        Where it was measured; empty where nothing tells.
    is_cost
        Whether less of it is better.
    is_composed
        Whether a composed model is expected: verdicts are on measured/composed.
    constant
        How its constant changed, where the growth is as before and that is sure.
    odds
        How probably it grows faster or slower than before, where both are modelled.
    usual
        Its one value beside the commits before; None where growths tell, or too few
        commits came before.
    """

    kind: ChangeKind
    region: str
    metric: str
    machine: str
    configuration: Mapping[str, Any]
    before: SideT
    after: SideT
    odds: GrowthOdds | None
    constant: ConstantChange | None
    is_composed: bool
    is_cost: bool
    usual: UsualFactor | None

    @cached_property
    def key(self) -> SeriesKey:
        """Region, metric, machine and settings of the series."""
        return series_key(self.region, self.metric, self.machine, self.configuration)

    @cached_property
    def is_comparable(self) -> bool:
        """Whether both versions measured it."""
        return self.before.is_measured and self.after.is_measured

    @cached_property
    def is_exact(self) -> bool:
        """Whether both versions counted it, so that one job of each tells."""
        return self.before.is_exact and self.after.is_exact

    @property
    def is_explained(self) -> bool:
        """Whether a formula of a known growth reproduces the later version."""
        return self.after.is_explained

    @property
    def is_mismatch(self) -> bool:
        """Whether it scales worse than expected, since whenever."""
        return is_mismatch(self.after, is_cost=self.is_cost)

    @property
    def has_few_settings(self) -> bool:
        """Whether constants alone tell: of too few settings there is no growth."""
        points = min(self.before.points, self.after.points)
        is_repeated = min(self.before.repetitions, self.after.repetitions) > 1
        return (1 if is_repeated else LEAST) <= points < NEEDED_SETTINGS

    @cached_property
    def urgency(self) -> tuple[int, float, str, str, str]:
        """Order worst first, surest first within a kind."""
        certainty = 0.0
        if self.after.verdict is not None:
            certainty = self.after.verdict_probability.get(self.after.verdict, 0.0)
        if self.odds is not None and self.kind in {ChangeKind.WORSE, ChangeKind.BETTER}:
            certainty = max(self.odds.faster, self.odds.slower)
        return _RANK[self.kind], -certainty, self.region, self.machine, self.metric

    @property
    def formulas(self) -> str | None:
        """Both formulas of counts in words, where they differ."""
        before, after = self.before.formula, self.after.formula
        if before is None or after is None or before == after:
            return None
        return f"{after} instead of {before}"

    @property
    def worse_growth_probability(self) -> float | None:
        """How probably it scales worse than before."""
        if self.odds is None:
            return None
        return self.odds.faster if self.is_cost else self.odds.slower


def series_key(
    region: str, metric: str, machine: str, configuration: Mapping[str, Any]
) -> SeriesKey:
    """Return what tells a series from others of a project."""
    return region, metric, machine, repr(sorted(configuration.items()))


def kind_of(  # noqa: PLR0911 - the first that is true
    before: Side, after: Side, odds: GrowthOdds | None, *, is_cost: bool = True
) -> ChangeKind:
    """Return the kind of change of a series; the first kind that holds.

    Parameters
    ----------
    is_cost
        Whether less of it is better.
    """
    if not (after.is_measured or after.is_failed):
        return ChangeKind.MISSING
    if after.is_failed and not before.is_failed:
        return ChangeKind.FAILED
    if not (before.is_measured or before.is_failed):
        return ChangeKind.NEW
    if is_mismatch(after, is_cost=is_cost) and before.verdict in FINE:
        return ChangeKind.MISMATCH
    faster, slower = (odds.faster, odds.slower) if odds else (0.0, 0.0)
    worse, better = (faster, slower) if is_cost else (slower, faster)
    if worse >= SURE:
        return ChangeKind.WORSE
    has_returned = is_mismatch(before, is_cost=is_cost) and after.verdict in FINE
    if better >= SURE or has_returned:
        return ChangeKind.BETTER
    if odds is None or Verdict.UNDECIDED in {before.verdict, after.verdict}:
        return ChangeKind.UNDECIDED
    return ChangeKind.UNCHANGED


def is_mismatch(side: Side, *, is_cost: bool) -> bool:
    """Tell whether a series scales worse than expected.

    Where growths over several parameters are neither, it does.
    """
    better = Direction.BETTER if is_cost else Direction.WORSE
    return side.verdict is Verdict.MISMATCH and side.direction is not better


def kind_with(kind: ChangeKind, constant: ConstantChange) -> ChangeKind:
    """Return the kind of a change with that of its constant.

    What is undecided is not better.
    """
    is_open = kind is not ChangeKind.UNCHANGED
    if is_open and constant.direction is Direction.BETTER:
        return kind
    return OF_CONSTANTS[constant.direction]
