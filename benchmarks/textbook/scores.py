"""How good answers are: one number per series and column, NaN where it has none."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from benchmarks.textbook.answers import LEVEL, Answer, expectations
from benchmarks.textbook.drawings import Drawing
from benchmarks.textbook.function import Reals

from scalewatch.modelling import Growth, Verdict, default_deviation_limit, judge

ROUNDING: Final = 1e-6
"""By how much an interval of no width may miss, relative to the truth."""

OPEN: Final = ("ambiguous", "none")
"""Outcomes by which a rule says that it does not know."""

RIGHT, OPENLY, SURELY_WRONG = "growth right", "right or open", "surely wrong"
OUTCOMES: Final = ("exact", *OPEN)
REFUSED: Final = "refused"
HOLDS_16, HOLDS_64, GIVEN = "holds at 16", "holds at 64", "given at 64"
MATCH = "match"
PLUS_P: Final = "truth · p: match"

GROWTHS: Final = (RIGHT, OPENLY, SURELY_WRONG, *OUTCOMES, REFUSED)
FORECASTS: Final = (
    "error at 16",
    "error at 64",
    HOLDS_16,
    HOLDS_64,
    "width at 16",
    "width at 64",
    GIVEN,
)
VERDICTS: Final = (
    *Verdict,
    PLUS_P,
    "truth · p: mismatch",
    "truth / √p: match",
    "truth / √p: mismatch",
)
COLUMNS: Final = (*GROWTHS, *FORECASTS, *map(str, VERDICTS))
MEDIANS: Final = ("error", "width")


def scores(drawing: Drawing, answers: Sequence[Answer]) -> Reals:
    """Return a row per series of a drawing, a column per name of `COLUMNS`."""
    truth = drawing.function.growth
    return np.array(
        [
            [
                *_growths(truth, answer),
                *_forecasts(far, answer),
                *_verdicts(truth, answer),
            ]
            for far, answer in zip(drawing.far, answers, strict=True)
        ]
    )


def summary(rows: Reals) -> dict[str, float]:
    """Return the mean of each column, or its median; NaN where nobody says anything."""
    found = {}
    for name, column in zip(COLUMNS, rows.T, strict=True):
        known = column[~np.isnan(column)]
        middle: Callable[[Reals], float] = (
            np.median if name.startswith(MEDIANS) else np.mean
        )
        found[name] = float(middle(known)) if known.size else np.nan
    return found


def _growths(truth: Growth | None, answer: Answer) -> list[float]:
    is_right = answer.growth == truth
    is_refused = answer.growth is None
    is_open = is_refused or answer.outcome in OPEN
    wrong = [share for each, share in answer.probability.items() if each != truth]
    says = answer.outcome is not None
    is_sure = max(wrong, default=0.0) > LEVEL
    if answer.outcome == "exact":
        is_sure = not is_right
    return [
        np.nan if truth is None else is_right,
        is_open or (truth is not None and is_right),
        is_sure if answer.probability or says else np.nan,
        *(answer.outcome == each if says else np.nan for each in OUTCOMES),
        is_refused,
    ]


def _forecasts(far: Reals, answer: Answer) -> list[float]:
    value, low, high = answer.forecasts.T
    error = np.abs(value / far - 1)
    holds = (low <= far * (1 + ROUNDING)) & (far * (1 - ROUNDING) <= high)
    with np.errstate(invalid="ignore", divide="ignore"):
        width = np.log(high / low)
    has_interval = ~np.isnan(low)
    return [
        *error,
        *np.where(has_interval, holds, np.nan),
        *np.where(has_interval, width, np.nan),
        not np.isnan(value[-1]),
    ]


def _verdicts(truth: Growth | None, answer: Answer) -> list[float]:
    if truth is None:
        return [np.nan] * len(VERDICTS)
    said, *wrongly = answer.verdicts
    cells: list[float] = [said is each for each in Verdict]
    for expectation, called in zip(expectations(truth)[1:], wrongly, strict=True):
        due = judge(truth, expectation, default_deviation_limit(expectation))
        is_mismatch = called is Verdict.MISMATCH
        cells += [
            called is Verdict.MATCH,
            is_mismatch if due is Verdict.MISMATCH else np.nan,
        ]
    return cells
