"""The sentence of the gate; its numbers are those of its counts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Final

from scalewatch.figures.notation import UNJUDGED
from scalewatch.modelling.common_mode.earlier_commits import TOLERATED
from scalewatch.services.commit_reports.pairs import SeriesKey, SeriesOutcome
from scalewatch.services.gates.decision import Decision, GateOutcome, Tally
from scalewatch.services.gates.findings import (
    FAILED,
    MISSING,
    OF_LEVELS,
    PARTLY,
    UNDECIDED,
    GateFinding,
)

LISTED: Final = 3
"""Regions that a sentence names."""


def sentence_of(decision: Decision, baseline: str | None) -> str:
    """Return a decision in words.

    Parameters
    ----------
    baseline
        How the earlier version is called; None without one.
    """
    against = (
        f" than {baseline}"
        if baseline
        else " than expected"
        if decision.tally.pairs
        else ""
    )
    match decision.outcome:
        case GateOutcome.PENDING:
            return "the analysis is not finished"
        case GateOutcome.WORSE:
            return _how_many_are_worse(decision) + against
        case GateOutcome.UNDECIDED:
            doubts = "; ".join(_doubts(decision, against))
            return doubts or _why_untold(decision.tally, baseline)
        case _:
            return _none_is_worse(decision, against, has_baseline=bool(baseline))


def _how_many_are_worse(decision: Decision) -> str:
    worse = decision.counts[SeriesOutcome.WORSE]
    sure = [each for each in decision.findings if each.is_sure]
    is_level = any(each.kind in OF_LEVELS for each in sure)
    verbs = ("is worse", "are worse") if is_level else ("scales worse", "scale worse")
    return f"{worse:,} of {len(decision.outcomes):,} series {verbs[worse != 1]}"


def _doubts(decision: Decision, against: str) -> Iterator[str]:
    """Yield what keeps the gate from deciding, the worst first."""
    if suspected := decision.counts[SeriesOutcome.SUSPECTED]:
        yield (
            f"{suspected:,} of {len(decision.outcomes):,} series suspected of being "
            f"worse{against}: run again"
        )
    failed, partly, missing = _unmeasured(decision)
    if failed:
        yield f"{_series(failed)} not measured: {_commonest(failed)}"
    if partly:
        yield f"{_series(partly)} {_commonest(partly)}"
    if missing:
        yield f"{_series(missing)} of the baseline missing"
    if open_ := [each for each in decision.findings if each.kind == UNDECIDED]:
        yield f"{_series(open_)} undecided: {_commonest(open_)}"
    tally = decision.tally
    if tally.is_too_noisy:
        yield (
            f"{len(tally.excesses):,} of {tally.pairs:,} series are too noisy from "
            "commit to commit to tell: half of them may be "
            f"{100 * (median(tally.excesses) - 1):.0f} % worse or more"
        )
    if tally.crowded:
        of_all = f"{tally.crowded:,} of {tally.pairs:,} series"
        yield f"{of_all} cannot be judged: {UNJUDGED}"


def _why_untold(tally: Tally, baseline: str | None) -> str:
    if baseline is None and not tally.pairs:
        return "nothing was measured before it to compare it with"
    if baseline is None:
        return "there is no earlier version and no expectation to compare it with"
    if not tally.comparable:
        return "no series was measured at both commits"
    return "no series has enough measurements for a verdict"


def _none_is_worse(decision: Decision, against: str, *, has_baseline: bool) -> str:
    """Count only what could be compared, and say how much could not."""
    tally = decision.tally
    compared = tally.comparable if has_baseline else tally.telling
    said = f"none of {compared:,} series is worse{against}{_by_levels(tally)}"
    if accepted := decision.counts[SeriesOutcome.ACCEPTED]:
        said += f", but for {accepted:,} that people or rules accept"
    if others := tally.pairs - compared:
        return f"{said}; {others:,} of {tally.pairs:,} series cannot be compared"
    return said


def _by_levels(tally: Tally) -> str:
    """Say what the commits before exclude of series with one value a commit."""
    if not tally.steady:
        return ""
    excluded = f"{tally.steady:,} by {100 * TOLERATED:.0f} % at most"
    open_ = f", {len(tally.excesses):,} too noisy to decide" if tally.excesses else ""
    return f": {excluded} beside the commits before{open_}"


def _unmeasured(decision: Decision) -> tuple[Sequence[GateFinding], ...]:
    """Return findings about series that failed, wholly or in part, or are missing.

    Each series is in one of the three only, and in none if it is worse in another way.
    """
    groups = []
    named: set[SeriesKey] = set()
    for kind in (FAILED, PARTLY, MISSING):
        group = [
            each
            for each in decision.findings
            if each.kind == kind
            and each.series not in named
            and decision.outcomes[each.series] is SeriesOutcome.UNMEASURED
        ]
        named |= {each.series for each in group}
        groups.append(group)
    return tuple(groups)


def _commonest(findings: Sequence[GateFinding]) -> str:
    said = Counter(each.sentence for each in findings)
    (commonest, often), *others = said.most_common()
    if not others:
        return commonest
    rest = sum(number for _, number in others)
    why = "another reason" if rest == 1 else "other reasons"
    return f"{often:,} {commonest}, {rest:,} for {why}"


def _series(findings: Sequence[GateFinding]) -> str:
    number = len({each.series for each in findings})
    names = sorted({each.region for each in findings})
    listed = ", ".join(names[:LISTED]) + (" …" if len(names) > LISTED else "")
    return f"{number:,} series ({listed})"
