"""Marks: a verdict or a change as symbol, word and colour, never colour alone."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from markupsafe import Markup

from scalewatch.figures.colours import COLOURS
from scalewatch.modelling import Mark, Verdict
from scalewatch.pages.wording import changes
from scalewatch.services.commit_reports import pairs

ROUNDS: Final = 4
"""Shapes of dots: those of machines that share a colour differ."""

_VERDICT: Final = Markup(
    '<span class="verdict verdict--{value}"><span class="verdict__symbol" '
    'aria-hidden="true">{symbol}</span>{number} {value}</span>'
)

_TIGHT: Final = Markup(
    '<span class="verdict verdict--{value}" title="{number} {value}"><span '
    'class="verdict__symbol" aria-hidden="true">{symbol}</span>{number}'
    '<span class="visually-hidden"> {value}</span></span>'
)

_CHANGE: Final = Markup(
    '<span class="change change--{name}" title="{meaning}"><span '
    'class="change__symbol" aria-hidden="true">{symbol}</span>{number} {kind}</span>'
)


def dot(slot: int) -> str:
    """Return the classes of a machine's dot: its colour, and how often that was given.

    Parameters
    ----------
    slot
        Position of the machine among the project's.
    """
    again, colour = divmod(slot, COLOURS)
    return f"dot dot--{colour} dot--again-{again % ROUNDS}"


@lru_cache(maxsize=4096)
def verdict(value: Mark | Verdict, number: int | None = None) -> Markup:
    """Mark a verdict, or a number of them."""
    return _VERDICT.format(value=value, symbol=value.symbol, number=_counted(number))


@lru_cache(maxsize=4096)
def change_mark(kind: pairs.ChangeKind, number: int | None = None) -> Markup:
    """Mark how a series differs from the baseline, or a number of such series."""
    is_one = number in {None, 1}
    return _CHANGE.format(
        kind=kind if is_one else changes.PLURALS.get(kind, kind),
        name=kind.replace(" ", "-"),
        meaning=changes.MEANINGS[kind],
        symbol=changes.SYMBOLS[kind],
        number=_counted(number),
    )


@lru_cache(maxsize=4096)
def outcome_mark(outcome: pairs.SeriesOutcome, number: int | None = None) -> Markup:
    """Mark what becomes of a series at a commit, or a number of such series."""
    return _CHANGE.format(
        kind=outcome,
        name=outcome.replace(" ", "-"),
        meaning=changes.OUTCOME_MEANINGS[outcome],
        symbol=changes.OUTCOME_SYMBOLS[outcome],
        number=_counted(number),
    )


def tight_counts(by_mark: Mapping[Mark, int]) -> Markup:
    """Count verdicts by symbols, with words for screen readers."""
    return _tight_counts(tuple(by_mark.items()))


# Of hundreds of rows, many have the same counts.
@lru_cache(maxsize=4096)
def _tight_counts(numbers: tuple[tuple[Mark, int], ...]) -> Markup:
    marks = Markup(" ").join(
        _TIGHT.format(value=mark, symbol=mark.symbol, number=number)
        for mark, number in numbers
        if number
    )
    return Markup(
        '<span class="verdict-counts verdict-counts--tight">{}</span>'
    ).format(marks)


def _counted(number: int | None) -> str:
    return "" if number is None else f" {number:,}"
