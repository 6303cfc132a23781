"""What the worst family has to reach, under which noise."""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from benchmarks.goals import EXTRA_P, Goal
from benchmarks.results import Results
from benchmarks.textbook import scores
from benchmarks.textbook.answers import OURS, RIVAL
from benchmarks.textbook.drawings import EXACT, ROUNDED
from benchmarks.textbook.scored import Scored, summaries, worst


@dataclass(frozen=True, slots=True)
class Aim:
    """A number of the scoreboard.

    Parameters
    ----------
    noise, column
        Which number, of the worst family.
    goal
        What it has to reach.
    """

    noise: str
    column: str
    goal: Goal


def _least(noise: str, column: str, figure: str, least: float) -> Aim:
    goal = Goal(f"{noise}: {figure}, worst family", "{:.3f}", least=least)
    return Aim(noise, column, goal)


def _most(noise: str, column: str, figure: str, most: float) -> Aim:
    goal = Goal(f"{noise}: {figure}, worst family", "{:.3f}", most=most)
    return Aim(noise, column, goal)


_RIGHT: Final = "growth right"
_OPEN: Final = "growth right, or said to be open"
_SURE: Final = "wrong growth with a probability above 0.9"
_HOLDS: Final = "90 % intervals that hold at {} p_max"
_MATCH: Final = "a match is called match"
_PLUS_P: Final = "truth · p as expectation is called match"

AIMS: Final = (
    _least(EXACT, scores.OPENLY, _OPEN, 0.99),
    _most(EXACT, scores.SURELY_WRONG, _SURE, 0.005),
    _least(EXACT, scores.HOLDS_64, _HOLDS.format(64), 0.98),
    _least(ROUNDED, scores.OPENLY, _OPEN, 0.95),
    _most(ROUNDED, scores.SURELY_WRONG, _SURE, 0.01),
    _least("2 %", scores.RIGHT, _RIGHT, 0.93),
    _least("2 %", scores.HOLDS_16, _HOLDS.format(16), 0.88),
    _least("2 %", scores.MATCH, _MATCH, 0.97),
    _most("2 %", scores.PLUS_P, _PLUS_P, 0.006),
    _least("10 %", scores.RIGHT, _RIGHT, 0.80),
    _least("10 %", scores.HOLDS_16, _HOLDS.format(16), 0.77),
    _least("10 %", scores.MATCH, _MATCH, 0.93),
    _most("10 %", scores.PLUS_P, _PLUS_P, 0.006),
)
NOT_ASKED: Final = dict.fromkeys(
    ("no dictionary", "four settings"), (scores.RIGHT, scores.MATCH)
)
"""Honesty is asked where no dictionary has the function or settings are too few for
noise, not that it is recognised."""


def tell(results: Results, noise: str, found: list[Scored]) -> None:
    """Tell the figures of one noise, with the family and function that are worst."""
    families = {by: _families(found, by) for by in (OURS, RIVAL)}
    for aim in AIMS:
        if aim.noise != noise:
            continue
        asked = {
            by: {
                key: cells
                for key, cells in own.items()
                if aim.column not in NOT_ASKED.get(key[-1], ())
            }
            for by, own in families.items()
        }
        ours, family = worst(asked[OURS], aim.column)
        if np.isnan(ours):
            continue
        functions = summaries(
            (each for each in found if each.by == OURS and each.family == family),
            "function",
        )
        share, function = worst(functions, aim.column)
        reason = f"the worst family is “{family}”, there “{function}” with {share:.3f}"
        rival, _ = worst(asked[RIVAL], aim.column)
        has_rival = not np.isnan(rival)
        results.figure(
            replace(aim.goal, reason=reason, rival=EXTRA_P if has_rival else ""),
            ours,
            rival if has_rival else None,
        )


def _families(found: list[Scored], by: str) -> dict[tuple[str, ...], dict[str, float]]:
    return summaries((each for each in found if each.by == by), "family")
