"""Marks: a verdict or a change as symbol, word and colour, never colour alone."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from scalewatch.figures.colours import HUES
from scalewatch.figures.notation import UNJUDGED
from scalewatch.modelling import Mark, Verdict
from scalewatch.pages.wording.mathematics import found_order
from scalewatch.pages.wording.sentences import beyond_words
from scalewatch.services.commit_reports import changes, pairs
from scalewatch.services.commit_reports.pairs import ChangeKind
from scalewatch.services.commit_reports.report import CommitReport
from scalewatch.services.gates.gate import Gate
from scalewatch.services.series.scans import Scan
from scalewatch.services.series.standing import Standing

_VERDICT: Final = Markup(
    '<span class="verdict verdict--{value}"><span class="verdict__symbol" '
    'aria-hidden="true">{symbol}</span>{number} {words}</span>'
)

_TIGHT: Final = Markup(
    '<span class="verdict verdict--{value}" title="{number} {words}"><span '
    'class="verdict__symbol" aria-hidden="true">{symbol}</span>{number}'
    '<span class="visually-hidden"> {words}</span></span>'
)

_CHANGE: Final = Markup(
    '<span class="change change--{name}" title="{meaning}"><span '
    'class="change__symbol" aria-hidden="true">{symbol}</span>{number} {kind}</span>'
)


def dot(slot: int) -> str:
    """Return the classes of a machine's dot: its colour, hollow grey without a hue.

    Parameters
    ----------
    slot
        Position of the machine among the project's.
    """
    return f"dot dot--{min(slot, HUES)}"


# A verdict equals its mark, which has a direction.
@lru_cache(maxsize=4096, typed=True)
def verdict(
    value: Mark | Verdict, number: int | None = None, beyond: str = ""
) -> Markup:
    """Mark a verdict, or a number of them.

    Parameters
    ----------
    beyond
        Scale from which a mismatch shows, where that lies outside the measurements.
    """
    words = mark_words(value, number)
    return _VERDICT.format(
        value=value,
        symbol=value.symbol,
        number=_counted(number),
        words=f"{words} beyond {beyond}" if beyond else words,
    )


def scan_verdict(scan: Scan) -> Markup:
    """Mark the verdict of a scan: `scales worse beyond p ≈ 6,400`."""
    return verdict(scan.standing.mark, beyond=beyond_words(scan))


def mark_words(value: Mark | Verdict, number: int | None = None) -> str:
    """Say which way a mark goes: `scales worse`, of several series `scale worse`."""
    way = DIRECTIONS.get(value) if isinstance(value, Mark) else None
    if way is None:
        return str(value)
    return f"scale{'s' * (number in {None, 1})} {way}"


DIRECTIONS: Final = {Mark.MISMATCH: "worse", Mark.BETTER: "better"}
"""Marks of growths other than expected, by the way that they go."""


@lru_cache(maxsize=4096)
def change_mark(kind: pairs.ChangeKind, number: int | None = None) -> Markup:
    """Mark how a series differs from the baseline, or a number of such series."""
    is_one = number in {None, 1}
    return _CHANGE.format(
        kind=kind if is_one else PLURALS.get(kind, kind),
        name=kind.replace(" ", "-"),
        meaning=MEANINGS[kind],
        symbol=SYMBOLS[kind],
        number=_counted(number),
    )


@lru_cache(maxsize=4096)
def outcome_mark(outcome: pairs.SeriesOutcome, number: int | None = None) -> Markup:
    """Mark what becomes of a series at a commit, or a number of such series."""
    return _CHANGE.format(
        kind=outcome,
        name=outcome.replace(" ", "-"),
        meaning=OUTCOME_MEANINGS[outcome],
        symbol=OUTCOME_SYMBOLS[outcome],
        number=_counted(number),
    )


def tight_counts(by_mark: Mapping[Mark, int]) -> Markup:
    """Count verdicts by symbols, with words for screen readers."""
    return _tight_counts(tuple(by_mark.items()))


# Of hundreds of rows, many have the same counts.
@lru_cache(maxsize=4096)
def _tight_counts(numbers: tuple[tuple[Mark, int], ...]) -> Markup:
    marks = Markup(" ").join(
        _TIGHT.format(
            value=mark,
            symbol=mark.symbol,
            number=number,
            words=mark_words(mark, number),
        )
        for mark, number in numbers
        if number
    )
    return Markup(
        '<span class="verdict-counts verdict-counts--tight">{}</span>'
    ).format(marks)


def _counted(number: int | None) -> str:
    return "" if number is None else f" {number:,}"


UNDECIDED: Final = "too little evidence at one of the commits"

MEANINGS: Final = {
    ChangeKind.MISMATCH: "worse than expected now, and not before",
    ChangeKind.FAILED: "nothing succeeded, or the analysis was given up",
    ChangeKind.WORSE: "scales worse than before, whatever the expectation",
    ChangeKind.WORSE_CONSTANT: "scales as before, and takes more, or yields less",
    ChangeKind.MISSING: "measured before, and not now",
    ChangeKind.BETTER: "no longer a mismatch, or scales better than before",
    ChangeKind.BETTER_CONSTANT: "scales as before, and takes less, or yields more",
    ChangeKind.NEW: "not measured before",
    ChangeKind.UNDECIDED: UNDECIDED,
    ChangeKind.UNCHANGED: "no change detected",
}

NO_CHANGE: Final = "No change detected"
NOTHING_COMPARED: Final = "No series was measured at both commits"

SYMBOLS: Final = {
    ChangeKind.MISMATCH: "✗",
    ChangeKind.FAILED: "!",
    ChangeKind.WORSE: "↗",
    ChangeKind.WORSE_CONSTANT: "↑",
    ChangeKind.MISSING: "−",
    ChangeKind.BETTER: "↘",
    ChangeKind.BETTER_CONSTANT: "↓",
    ChangeKind.NEW: "+",
    ChangeKind.UNDECIDED: "?",
    ChangeKind.UNCHANGED: "=",
}

PLURALS: Final = {
    ChangeKind.MISMATCH: "new mismatches",
    ChangeKind.WORSE: "scale worse",
    ChangeKind.WORSE_CONSTANT: "worse constants",
    ChangeKind.BETTER: "improvements",
    ChangeKind.BETTER_CONSTANT: "better constants",
}

OUTCOME_MEANINGS: Final = {
    pairs.SeriesOutcome.WORSE: "surely worse: it stops the commit",
    pairs.SeriesOutcome.SUSPECTED: "may be worse: needs another run",
    pairs.SeriesOutcome.UNMEASURED: "failed, wholly or in part, or missing",
    pairs.SeriesOutcome.ACCEPTED: "worse, and accepted by somebody or by the rules",
    pairs.SeriesOutcome.BETTER: "surely better: takes less, or yields more",
    pairs.SeriesOutcome.NEW: "not measured before",
    pairs.SeriesOutcome.UNDECIDED: UNDECIDED,
    pairs.SeriesOutcome.UNCHANGED: "no change detected",
}

OUTCOME_SYMBOLS: Final = {
    pairs.SeriesOutcome.WORSE: "✗",
    pairs.SeriesOutcome.SUSPECTED: "?",
    pairs.SeriesOutcome.UNMEASURED: "!",
    pairs.SeriesOutcome.ACCEPTED: "↑",
    pairs.SeriesOutcome.BETTER: "▼",
    pairs.SeriesOutcome.NEW: "+",
    pairs.SeriesOutcome.UNDECIDED: "?",
    pairs.SeriesOutcome.UNCHANGED: "=",
}


def counts_sentence(report: CommitReport, gate: Gate) -> str:
    """Count series by outcome: `2 series are suspected; 37 are unchanged`."""
    if report.baseline is None:
        return "No baseline: no earlier commit was measured"
    counted = [outcome for outcome in pairs.SeriesOutcome if gate.counts[outcome]]
    counted.sort(key=pairs.STILL.__contains__)
    clauses = {}
    for place, outcome in enumerate(counted):
        number, noun = gate.counts[outcome], " series" * (place == 0)
        is_past = outcome is pairs.SeriesOutcome.UNMEASURED
        singular, plural = ("was", "were") if is_past else ("is", "are")
        verb = singular if number == 1 else plural
        clauses[outcome] = f"{number:,}{noun} {verb} {outcome}"
    changed = [clauses[outcome] for outcome in counted if outcome not in pairs.STILL]
    still = [clauses[outcome] for outcome in counted if outcome in pairs.STILL]
    nothing = NO_CHANGE if report.is_compared and not changed else None
    lead = nothing if report.is_compared else NOTHING_COMPARED
    crowded = f"{UNJUDGED} in {report.crowded:,}" if report.crowded else ""
    return "; ".join(
        filter(None, [lead, ", ".join(changed), ", ".join(still), crowded])
    )


def change_sentence(change: changes.SeriesChange) -> str:
    """Tell growth and verdict before and after: `O(log p), match → O(p), mismatch`."""
    if change.constant:
        return f"{_state(change.after)}: {change.constant.sentence}"
    before, after = _state(change.before), _state(change.after)
    return f"{after}, as before" if before == after else f"{before} → {after}"


def _state(standing: Standing) -> str:
    grown = found_order(standing) if standing.nearest else str(standing.state)
    return f"{grown}, {standing.verdict}" if standing.verdict else grown
