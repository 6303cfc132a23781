"""The gate of files: is what they hold worse than promised, or than before.

It judges as the gate of a server does, by one version of each file: what a second job
or earlier nights would say, files do not tell.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scalewatch.importers import ImportedSeries
from scalewatch.modelling import Direction, GrowthOdds, all_growth_odds
from scalewatch.services.commit_reports.factors import SURE
from scalewatch.services.commit_reports.outcomes import SeriesOutcome
from scalewatch.services.gates.file_findings import (
    UNMEASURED,
    FileFinding,
    FileRules,
    GatedSeries,
    constant_direction,
    file_findings,
)

LISTED: Final = 3
"""Regions that a sentence names."""


@dataclass(frozen=True, slots=True)
class FileGate:
    """The answer: `fine`, `worse` or `undecided`, why, and what it rests on.

    Parameters
    ----------
    counts
        Series by what became of them; every outcome of `SeriesOutcome` has an entry.
    """

    outcome: str
    sentence: str
    findings: tuple[FileFinding, ...]
    counts: Mapping[SeriesOutcome, int]


def gate_of_files(
    all_series: Sequence[GatedSeries], rules: FileRules, baseline: str | None
) -> FileGate:
    """Return whether series may pass.

    Parameters
    ----------
    baseline
        What the earlier version is called; None without one.
    """
    odds = all_growth_odds([_classes(each) for each in all_series])
    found = [
        finding
        for each, chance in zip(all_series, odds, strict=True)
        for finding in file_findings(each, chance, rules)
    ]
    findings = tuple(sorted(found, key=lambda each: not each.is_sure))
    is_told = any(each.is_told for each in all_series)
    if any(each.is_sure for each in findings):
        outcome = "worse"
    else:
        outcome = "undecided" if findings or not is_told else "fine"
    tally = Counter(_outcomes(all_series, findings, odds, has_baseline=bool(baseline)))
    counts = {each: tally[each] for each in SeriesOutcome}
    sentence = _sentence(outcome, findings, all_series, counts, baseline)
    return FileGate(outcome, sentence, findings, counts)


def _outcomes(
    all_series: Sequence[GatedSeries],
    findings: Sequence[FileFinding],
    odds: Sequence[GrowthOdds | None],
    *,
    has_baseline: bool,
) -> Iterator[SeriesOutcome]:
    """Yield what becomes of each series, by the words of a server's gate."""
    about: dict[_Place, list[FileFinding]] = defaultdict(list)
    for finding in findings:
        about[_place(finding)].append(finding)
    for each, chance in zip(all_series, odds, strict=True):
        found = about.get(_place(each.series), ())
        if any(finding.is_sure for finding in found):
            yield SeriesOutcome.WORSE
        elif any(finding.kind in UNMEASURED for finding in found):
            yield SeriesOutcome.UNMEASURED
        elif found:
            yield SeriesOutcome.UNDECIDED
        else:
            yield _without_finding(each, chance, has_baseline=has_baseline)


def _without_finding(
    each: GatedSeries, odds: GrowthOdds | None, *, has_baseline: bool
) -> SeriesOutcome:
    if each.now is None:
        return SeriesOutcome.UNMEASURED
    directions = {_direction(each, odds), constant_direction(each)}
    if Direction.WORSE in directions:
        return SeriesOutcome.ACCEPTED
    if Direction.BETTER in directions:
        return SeriesOutcome.BETTER
    if each.before is None and (has_baseline or each.is_told):
        return SeriesOutcome.NEW
    return SeriesOutcome.UNCHANGED if each.is_told else SeriesOutcome.UNDECIDED


def _direction(each: GatedSeries, odds: GrowthOdds | None) -> Direction | None:
    """Return the direction in which a growth surely changed."""
    if odds is None or max(odds.faster, odds.slower) < SURE:
        return None
    is_worse = (odds.faster >= SURE) == each.is_cost
    return Direction.WORSE if is_worse else Direction.BETTER


def _classes(each: GatedSeries) -> tuple[Mapping[Any, float], Mapping[Any, float]]:
    before = each.before.finding.class_probability if each.before else {}
    return before, each.now.finding.class_probability if each.now else {}


def _sentence(
    outcome: str,
    findings: Sequence[FileFinding],
    all_series: Sequence[GatedSeries],
    counts: Mapping[SeriesOutcome, int],
    baseline: str | None,
) -> str:
    """Return the outcome in words; its numbers are those of the counts."""
    against = f" than {baseline}" if baseline else " than expected"
    total = len(all_series)
    if outcome == "worse":
        worse = counts[SeriesOutcome.WORSE]
        is_level = any(each.kind == "constant" for each in findings)
        how = ("is worse", "are worse") if is_level else ("scales worse", "scale worse")
        return f"{worse} of {total} series {how[worse != 1]}{against}"
    if outcome == "undecided":
        if not findings:
            return _why_untold(all_series, baseline)
        return "; ".join(_doubts(findings, counts, total))
    told = sum(each.is_told for each in all_series)
    said = f"none of {told} series is worse{against}"
    if accepted := counts[SeriesOutcome.ACCEPTED]:
        said += f", but for {accepted} that rules accept"
    others = total - told
    left = f"; {others} of {total} series cannot be judged" if others else ""
    return said + left


def _doubts(
    findings: Sequence[FileFinding], counts: Mapping[SeriesOutcome, int], total: int
) -> Iterator[str]:
    """Yield what keeps the gate from deciding, with the regions that it is about."""
    unmeasured = {_place(each) for each in findings if each.kind in UNMEASURED}
    of_open = [each for each in findings if _place(each) not in unmeasured]
    of_unmeasured = [each for each in findings if each.kind in UNMEASURED]
    for outcome, about in (
        (SeriesOutcome.UNMEASURED, of_unmeasured),
        (SeriesOutcome.UNDECIDED, of_open),
    ):
        names = sorted({each.region for each in about})
        listed = ", ".join(names[:LISTED]) + (" …" if len(names) > LISTED else "")
        if about:
            yield f"{counts[outcome]} of {total} series {outcome} ({listed})"


def _why_untold(all_series: Sequence[GatedSeries], baseline: str | None) -> str:
    if any(each.now and each.now.finding.expectation for each in all_series):
        return "no series has enough measurements to tell"
    if baseline is None:
        return "there is no earlier version and no expectation to compare it with"
    return "no series was measured in both versions"


_Place = tuple[str, str, str]


def _place(about: FileFinding | ImportedSeries) -> _Place:
    return about.region, about.metric, repr(sorted(about.configuration.items()))
