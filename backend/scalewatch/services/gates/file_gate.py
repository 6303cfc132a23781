"""The gate of files: is what they hold worse than promised, or than before.

It judges as the gate of a server does, by one version of each file: what a second job
or earlier nights would say, files do not tell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from scalewatch.modelling import all_growth_odds
from scalewatch.services.gates.file_findings import (
    FileFinding,
    FileRules,
    GatedSeries,
    file_findings,
)

LISTED: Final = 3
"""Regions that a sentence names."""


@dataclass(frozen=True, slots=True)
class FileGate:
    """The answer: `fine`, `worse` or `undecided`, why, and what it rests on."""

    outcome: str
    sentence: str
    findings: tuple[FileFinding, ...]


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
    sentence = _sentence(outcome, findings, all_series, baseline)
    return FileGate(outcome, sentence, findings)


def _classes(each: GatedSeries) -> tuple[Mapping[Any, float], Mapping[Any, float]]:
    before = each.before.finding.class_probability if each.before else {}
    return before, each.now.finding.class_probability if each.now else {}


def _sentence(
    outcome: str,
    findings: Sequence[FileFinding],
    all_series: Sequence[GatedSeries],
    baseline: str | None,
) -> str:
    """Return the outcome in words."""
    against = f" than {baseline}" if baseline else " than expected"
    if outcome == "worse":
        sure = {_place(each) for each in findings if each.is_sure}
        of_levels = any(each.kind == "constant" for each in findings)
        how = "are worse" if of_levels else "scale worse"
        return f"{len(sure)} of {len(all_series)} series {how}{against}"
    if outcome == "undecided":
        if not findings:
            return _why_untold(all_series, baseline)
        names = sorted({each.region for each in findings})
        listed = ", ".join(names[:LISTED]) + (" …" if len(names) > LISTED else "")
        open_series = len({_place(each) for each in findings})
        return f"{open_series} of {len(all_series)} series cannot be told ({listed})"
    told = sum(each.is_told for each in all_series)
    others = len(all_series) - told
    left = f"; {others} of {len(all_series)} series cannot be judged" if others else ""
    return f"none of {told} series is worse{against}{left}"


def _why_untold(all_series: Sequence[GatedSeries], baseline: str | None) -> str:
    if any(each.now and each.now.finding.expectation for each in all_series):
        return "no series has enough measurements to tell"
    if baseline is None:
        return "there is no earlier version and no expectation to compare it with"
    return "no series was measured in both versions"


def _place(about: FileFinding) -> tuple[str, str, str]:
    return about.region, about.metric, repr(sorted(about.configuration.items()))
