"""What is wrong with series of files: they are worse, or were not measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from scalewatch.importers import ImportedSeries
from scalewatch.modelling import (
    Comparison,
    Direction,
    Finding,
    GrowthOdds,
    Incomparable,
    Verdict,
    VersionChange,
)
from scalewatch.services.analysis.versions import Compared
from scalewatch.services.commit_reports.factors import (
    LEAST_CONSTANT,
    SURE,
    direction_of,
)
from scalewatch.services.gates.rules import USUAL, GateRule

FINE: Final = frozenset({Verdict.MATCH, Verdict.APPROXIMATE})
MEASURE: Final = 'measure it, or set missing = "ignore" in the rules'
DECIDE: Final = "measure more settings or repetitions: scalewatch model --next"
UNMEASURED: Final = frozenset({"failed", "missing", "partly missing"})
"""Kinds of findings that tell what was not measured."""

LISTED: Final = 3
"""Settings that a sentence names."""


@dataclass(frozen=True, slots=True)
class FileRules:
    """What stops files, in the large and for single regions."""

    rule: GateRule = USUAL
    regions: Mapping[str, GateRule] = field(default_factory=dict)
    smallest_effect: float = 0.0

    def about(self, region: str) -> GateRule:
        """Return the rule of a region."""
        return self.regions.get(region, self.rule)

    def least_constant(self, region: str) -> float | None:
        """By how much a constant is worse at least; None if it does not matter."""
        least = self.about(region).least_constant
        return None if least is None else max(least, self.smallest_effect)


@dataclass(frozen=True, slots=True)
class Side:
    """A version of a series and what is found about it."""

    series: ImportedSeries
    finding: Finding


@dataclass(frozen=True, slots=True)
class GatedSeries:
    """A series in question, before and now.

    Parameters
    ----------
    series
        It as it is now or, where it is missing, as it was.
    before, now
        None where that version was not measured, or there is none.
    compared
        What has changed; None without an earlier version.
    """

    series: ImportedSeries
    before: Side | None
    now: Side | None
    compared: Compared | None
    is_cost: bool

    @property
    def is_told(self) -> bool:
        """Whether anything follows of it: a verdict, or a comparison."""
        is_judged = self.now is not None and self.now.finding.verdict in FINE
        return is_judged or isinstance(self.compared, Comparison)


@dataclass(frozen=True, slots=True)
class FileFinding:
    """A series that is worse or may be; the fields are those of a server's gate."""

    region: str
    metric: str
    configuration: Mapping[str, Any]
    kind: str
    is_sure: bool
    sentence: str
    todo: str | None = None
    probability: float | None = None


def file_findings(
    each: GatedSeries, odds: GrowthOdds | None, rules: FileRules
) -> Iterator[FileFinding]:
    """Yield what is wrong with a series: what is worse, and what was not measured."""
    rule = rules.about(each.series.region)
    if rule.missing != "ignore":
        yield from _unmeasured(each)
    worse = _mismatch(each, rule) or _faster(each, odds, rule)
    worse = worse or _costlier(each, rules)
    if worse is not None:
        yield worse
    elif _is_open(each):
        reason = each.now.finding.reason if each.now else None
        sentence = reason or "too much noise to tell whether it scales as expected"
        yield _finding(each, "undecided", sentence, todo=DECIDE)


def _is_open(each: GatedSeries) -> bool:
    """Tell whether an expectation waits for an answer that nothing else gives."""
    if each.now is None or each.now.finding.expectation is None:
        return False
    is_open = each.now.finding.verdict is Verdict.UNDECIDED
    return is_open and not isinstance(each.compared, Comparison)


def _unmeasured(each: GatedSeries) -> Iterator[FileFinding]:
    if each.now is None:
        yield _finding(each, "missing", "was measured before, not here", todo=MEASURE)
        return
    series = each.now.series
    is_failed = np.isnan(series.values).all(axis=1)
    if is_failed.any():
        where = _places(series.parameters, series.settings[is_failed])
        yield _finding(each, "failed", f"failed at {where}", todo=MEASURE)
    if each.before is None or each.before.series.parameters != series.parameters:
        return
    tried = set(map(tuple, series.settings.tolist()))
    was = each.before.series.settings
    lacking = [row for row in was.tolist() if tuple(row) not in tried]
    if lacking:
        where = _places(series.parameters, lacking)
        sentence = f"not measured at {where}"
        yield _finding(each, "partly missing", sentence, todo=MEASURE)


def _mismatch(each: GatedSeries, rule: GateRule) -> FileFinding | None:
    """Return that a series scales worse than expected, and did not before."""
    if not _is_bad(each.now, is_cost=each.is_cost) or each.now is None:
        return None
    was_fine = each.before is None or each.before.finding.verdict in FINE
    if not (rule.mismatch or (rule.new_mismatch and was_fine)):
        return None
    now = each.now.finding
    said = "no longer as expected" if each.before and was_fine else "not as expected"
    return _finding(
        each,
        "new mismatch" if was_fine else "mismatch",
        f"grows like {now.growth}: {said} ({now.expectation})",
        is_sure=True,
        probability=now.verdict_probability.get(Verdict.MISMATCH),
    )


def _is_bad(side: Side | None, *, is_cost: bool) -> bool:
    if side is None or side.finding.verdict is not Verdict.MISMATCH:
        return False
    return (side.finding.direction is Direction.WORSE) == is_cost


def _faster(
    each: GatedSeries, odds: GrowthOdds | None, rule: GateRule
) -> FileFinding | None:
    """Return that a series surely scales worse than before."""
    if odds is None or each.before is None or each.now is None or not rule.growth:
        return None
    probability = odds.faster if each.is_cost else odds.slower
    before, now = each.before.finding, each.now.finding
    if probability < SURE or before.growth == now.growth:
        return None
    sentence = f"grows like {now.growth} instead of {before.growth}"
    if formulas := _formulas(each):
        sentence += f", {formulas}"
    return _finding(
        each, "scales worse", sentence, is_sure=True, probability=probability
    )


def _costlier(each: GatedSeries, rules: FileRules) -> FileFinding | None:
    """Return that a constant is surely worse by more than the rules allow."""
    least = rules.least_constant(each.series.region)
    compared = each.compared
    if least is None or compared is None or isinstance(compared, Incomparable):
        return None
    if direction_of(compared, least, is_cost=each.is_cost) is not Direction.WORSE:
        return None
    is_throughout = compared.likeliest is VersionChange.LEVEL and compared.growth_after
    sentence = _formulas(each) or (
        f"{compared.factor:.3g} times as much as before ({compared.low:.3g} to "
        f"{compared.high:.3g}) {'throughout' if is_throughout else 'on average'}"
    )
    return _finding(
        each,
        "constant",
        sentence,
        is_sure=True,
        probability=1 - compared.probability[VersionChange.NONE],
    )


def constant_direction(each: GatedSeries) -> Direction | None:
    """Return whether the level surely became worse or better, by what jobs differ."""
    if each.compared is None:
        return None
    return direction_of(each.compared, LEAST_CONSTANT, is_cost=each.is_cost)


def _formulas(each: GatedSeries) -> str | None:
    """Return what counts are instead of what they were, where formulas tell both."""
    sides = [side.finding for side in (each.before, each.now) if side]
    told = [side.model.formula for side in sides if side.exactness and side.model]
    if len(told) < len(("before", "now")) or told[0] == told[1]:
        return None
    return f"{told[1]} instead of {told[0]}"


def _finding(  # noqa: PLR0913 - one per part of a finding
    each: GatedSeries,
    kind: str,
    sentence: str,
    *,
    is_sure: bool = False,
    todo: str | None = None,
    probability: float | None = None,
) -> FileFinding:
    series = each.series
    return FileFinding(
        series.region,
        series.metric,
        series.configuration,
        kind,
        is_sure,
        sentence,
        todo,
        probability,
    )


def _places(parameters: Sequence[str], rows: Any) -> str:
    told = [
        " ".join(
            f"{name} = {setting:.10g}"
            for name, setting in zip(parameters, row, strict=True)
        )
        for row in rows
    ]
    more = f" and {len(told) - LISTED} more" if len(told) > LISTED else ""
    return ", ".join(told[:LISTED]) + more
