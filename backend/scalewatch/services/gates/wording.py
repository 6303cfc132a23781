"""The answer of the gate for a commit: outcome, sentence, and what it rests on."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from scalewatch.services.commit_reports.changes import SeriesChange
from scalewatch.services.commit_reports.outcomes import SeriesOutcome
from scalewatch.services.commit_reports.pairs import ChangeKind, SeriesKey
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.commits.baselines import Baseline
from scalewatch.services.commits.find import Commit
from scalewatch.services.confirmations.next_steps import NextStep
from scalewatch.services.confirmations.requests import Confirmation
from scalewatch.services.gates.decision import Tally
from scalewatch.services.gates.findings import (
    CONSTANT,
    FAILED,
    MISSING,
    NIGHT,
    PARTLY,
    GateFinding,
)
from scalewatch.services.series.standing import crowded_among
from scalewatch.services.shared_cores import SHARED_CORES

OF_LEVELS: Final = frozenset({CONSTANT, f"regression of {CONSTANT}", NIGHT})
"""Kinds of findings that tell of no growth."""

LISTED: Final = 3
"""Regions that a sentence names."""


class GateOutcome(StrEnum):
    """What the gate says."""

    FINE = "fine"
    WORSE = "worse"
    UNDECIDED = "undecided"
    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether a commit may pass.

    Parameters
    ----------
    baseline
        What it was compared with; None where nothing was measured before.
    relation
        Why with that.
    findings
        Worst first.
    next_step
        The cheapest measurement that would settle something; None where all is.
    confirmations
        Runs that were asked for to confirm a suspicion, newest first.
    counts
        Series by what became of them; every outcome of `SeriesOutcome` has an entry.
    rules_version
        Of the rules that were applied; 0: the usual ones.
    """

    project: str
    commit: Commit
    baseline: Commit | None
    relation: str | None
    outcome: GateOutcome
    sentence: str
    findings: tuple[GateFinding, ...]
    next_step: NextStep | None
    regressions: tuple[int, ...]
    confirmations: tuple[Confirmation, ...]
    counts: Mapping[str, int]
    rules_version: int


def outcome_of(
    findings: Sequence[GateFinding],
    changes: Sequence[SeriesChange],
    *,
    is_pending: bool,
) -> GateOutcome:
    """Return what follows from findings and from how all series changed."""
    if is_pending:
        return GateOutcome.PENDING
    if any(each.is_sure for each in findings):
        return GateOutcome.WORSE
    is_crowded = crowded_among(each.after for each in changes) > 0
    is_open = findings or is_crowded or not any(map(_is_told, changes))
    return GateOutcome.UNDECIDED if is_open else GateOutcome.FINE


def sentence_of(
    outcome: GateOutcome,
    findings: Sequence[GateFinding],
    report: CommitReport,
    tally: Tally,
) -> str:
    """Return the outcome in words; its numbers are those of the tally."""
    against = f" than {report.baseline.commit.label}" if report.baseline else ""
    match outcome:
        case GateOutcome.PENDING:
            return "the analysis is not finished"
        case GateOutcome.WORSE:
            return _how_many_are_worse(findings, tally) + against
        case GateOutcome.UNDECIDED if doubts := [
            *_doubts(findings, report.changes, tally, against)
        ]:
            return "; ".join(doubts)
        case GateOutcome.UNDECIDED:
            return _why_untold(report.changes, report.baseline)
        case _:
            return _none_is_worse(report.changes, tally, against)


def _how_many_are_worse(findings: Sequence[GateFinding], tally: Tally) -> str:
    worse = tally.counts[SeriesOutcome.WORSE]
    is_level = any(each.kind in OF_LEVELS for each in findings if each.is_sure)
    verbs = ("is worse", "are worse") if is_level else ("scales worse", "scale worse")
    return f"{worse:,} of {tally.total:,} series {verbs[worse != 1]}"


def _is_told(change: SeriesChange) -> bool:
    """Tell whether anything follows of a series: both commits measured it, and well."""
    is_decided = change.kind is not ChangeKind.UNDECIDED or change.has_few_settings
    return change.is_comparable and is_decided


def _why_untold(changes: Sequence[SeriesChange], baseline: Baseline | None) -> str:
    if baseline is None:
        return "nothing was measured before it to compare it with"
    if not any(change.is_comparable for change in changes):
        return "no series was measured at both commits"
    return "no series has enough measurements to tell"


def _none_is_worse(changes: Sequence[SeriesChange], tally: Tally, against: str) -> str:
    """Count only what could be compared, and say how much could not."""
    compared = sum(change.is_comparable for change in changes)
    said = f"none of {compared:,} series is worse{against}"
    if accepted := tally.counts[SeriesOutcome.ACCEPTED]:
        said += f", but for {accepted:,} that people or rules accept"
    if others := len(changes) - compared:
        return f"{said}; {others:,} of {len(changes):,} series cannot be compared"
    return said


def _doubts(
    findings: Sequence[GateFinding],
    changes: Sequence[SeriesChange],
    tally: Tally,
    against: str,
) -> Iterator[str]:
    """Yield what keeps the gate from deciding, the worst first."""
    if suspected := tally.counts[SeriesOutcome.SUSPECTED]:
        yield (
            f"{suspected:,} of {tally.total:,} series suspected of being worse"
            f"{against}: run again"
        )
    failed, partly, missing = _unmeasured(findings, tally)
    if failed:
        yield f"{_series(failed)} not measured: {_commonest(failed)}"
    if partly:
        yield f"{_series(partly)} {_commonest(partly)}"
    if missing:
        yield f"{_series(missing)} of the baseline missing"
    if crowded := crowded_among(each.after for each in changes):
        yield f"{crowded:,} of {len(changes):,} series cannot be judged: {SHARED_CORES}"


def _unmeasured(
    findings: Sequence[GateFinding], tally: Tally
) -> tuple[Sequence[GateFinding], ...]:
    """Return findings about series that failed, wholly or in part, or are missing.

    Each series is in one of the three only, and in none if it is worse in another way.
    """
    groups = []
    named: set[SeriesKey] = set()
    for kind in (FAILED, PARTLY, MISSING):
        group = [
            each
            for each in findings
            if each.kind == kind
            and each.series not in named
            and tally.outcomes[each.series] is SeriesOutcome.UNMEASURED
        ]
        named |= {each.series for each in group}
        groups.append(group)
    return tuple(groups)


def _commonest(findings: Sequence[GateFinding]) -> str:
    said = Counter(each.sentence for each in findings)
    (commonest, often), *others = said.most_common()
    if not others:
        return commonest
    is_one = sum(number for _, number in others) == 1
    rest = "the other for another reason" if is_one else "the others for other reasons"
    return f"{often:,} {commonest}, {rest}"


def _series(findings: Sequence[GateFinding]) -> str:
    number = len({each.series for each in findings})
    names = sorted({each.region for each in findings})
    listed = ", ".join(names[:LISTED]) + (" …" if len(names) > LISTED else "")
    return f"{number:,} series ({listed})"
