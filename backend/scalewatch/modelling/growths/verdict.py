"""Judge the divergence of a growth from its expectation.

With G the leading-order term of the model and E the expectation, the divergence is
δ = G/E. The match rank of the reference (section 2.4): total match if G corresponds
to E, approximate match if E/D ≤ G ≤ E·D for the deviation limit D, else no match.

References
----------
S. Shudler et al., "Exascaling Your Library: Will Your Implementation Meet Your
Expectations?", ICS 2015.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Self

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, Term


class Verdict(StrEnum):
    """Outcome of comparing a model with its expectation."""

    MATCH = "match"
    APPROXIMATE = "approximate"
    MISMATCH = "mismatch"
    UNDECIDED = "undecided"

    @property
    def symbol(self) -> str:
        """The sign that stands before the word."""
        return "✓≈✗?"[list(Verdict).index(self)]


class Direction(StrEnum):
    """Side on which a growth misses its expectation."""

    WORSE = "worse"
    BETTER = "better"


class Mark(StrEnum):
    """A verdict as tables show it: a mismatch for the better has a mark of its own."""

    MATCH = "match"
    APPROXIMATE = "approximate"
    BETTER = "better"
    MISMATCH = "mismatch"
    UNDECIDED = "undecided"

    @property
    def symbol(self) -> str:
        """The sign that stands before the word."""
        return "✓≈▼✗?"[list(Mark).index(self)]

    @classmethod
    def of_divergence(cls, verdict: Verdict, divergence: Growth | None) -> Self:
        """Return the mark of a verdict with its divergence."""
        return cls.of(verdict, None if divergence is None else direction(divergence))

    @classmethod
    def of(cls, verdict: Verdict, side: Direction | None) -> Self:
        """Return the mark of a verdict with the direction of its divergence."""
        is_better = verdict is Verdict.MISMATCH and side is Direction.BETTER
        return cls.BETTER if is_better else cls(verdict)


def judge(growth: Growth, expectation: Growth, deviation_limit: Growth) -> Verdict:
    """Rank a growth against its expectation; several parameters, each by itself."""
    most, least = expectation * deviation_limit, expectation / deviation_limit
    return _rank(growth, expectation, most, least)


@lru_cache(maxsize=64)
def judge_all(
    growths: tuple[Growth, ...], expectation: Growth, deviation_limit: Growth
) -> tuple[Verdict, ...]:
    """Rank growths that compete, the same ones for series after series."""
    most, least = expectation * deviation_limit, expectation / deviation_limit
    return tuple(_rank(growth, expectation, most, least) for growth in growths)


def _rank(growth: Growth, expectation: Growth, most: Growth, least: Growth) -> Verdict:
    if growth == expectation:
        return Verdict.MATCH
    is_acceptable = most.dominates(growth) and growth.dominates(least)
    return Verdict.APPROXIMATE if is_acceptable else Verdict.MISMATCH


def direction(divergence: Growth) -> Direction | None:
    """Tell whether δ grows (worse), falls (better) or stays (neither)."""
    if divergence == CONSTANT:
        return None
    return Direction.WORSE if divergence > CONSTANT else Direction.BETTER


def decide(
    probability: Mapping[Verdict, float], level: float, alarm: float | None = None
) -> Verdict:
    """Return the verdict that a posterior settles, or `undecided`.

    A mismatch is alarmed at `alarm`, unless given at `level`, and cleared at 1 -
    `level`; in between more has to be measured. Once it is cleared, the likelier of
    the others is the verdict.
    """
    mismatch = probability[Verdict.MISMATCH]
    if mismatch >= (level if alarm is None else alarm):
        return Verdict.MISMATCH
    if mismatch > 1 - level:
        return Verdict.UNDECIDED
    return max(
        Verdict.MATCH, Verdict.APPROXIMATE, key=lambda verdict: probability[verdict]
    )


def nearest_models(
    parameter: str, x: Reals, y: Reals, growths: Sequence[Growth]
) -> list[Model]:
    """Return c₀ + c₁·g for each growth g, the squares of its relative errors least.

    Growths of other parameters, and those not defined at some setting, are left out.

    Parameters
    ----------
    parameter
        What the settings are of.
    x, y
        Settings and positive values there, shape (n,).
    growths
        Candidates, in their order; the constant is one without c₁.
    """
    from scipy.optimize import nnls  # noqa: PLC0415 - slow to load, and seldom needed

    models = []
    for growth in growths:
        if set(growth.parameters) - {parameter}:
            continue
        if growth == CONSTANT:
            models.append(Model(float((1 / y).sum() / (1 / y**2).sum()), ()))
            continue
        tau = np.broadcast_to(growth({parameter: x}), x.shape)
        if not np.isfinite(tau).all():
            continue
        (constant, coefficient), _ = nnls(np.stack([1 / y, tau / y], axis=1), y / y)
        if coefficient > 0:
            models.append(Model(float(constant), (Term(float(coefficient), growth),)))
    return models
