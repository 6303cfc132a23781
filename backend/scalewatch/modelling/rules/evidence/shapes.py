"""Growths with the lower-order term that programs have beside them, f = c₀·u + c₁·t.

A process sends to all others but itself, p - 1 messages; a tree has p log p - p + 1
comparisons; an allgather moves (p - 1)/p of the data. A constant that is not negative
does not describe these: within a few settings p - 1 is nearer to p^(3/4) log p than to
c + p. So beside each growth there are a few *shapes* of it. They are corrections to
scaling as textbooks on parallel algorithms have them, either

* a difference c·(t - κ·u), where κ is uniform up to `LARGEST_SHARE` of the least t/u,
  so that the curve stays positive, or
* a sum c₀·u + c₁·t, which is weighed as growths with a base in common are.

References
----------
V. Kumar et al., "Introduction to Parallel Computing", 2nd ed. 2003, table 4.1.
M. E. Fisher, "The renormalization group in the theory of critical behavior", Reviews of
Modern Physics 46, 1974 (corrections to scaling).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, Term

Curve = Growth | Model

Powers = tuple[str, int]
"""Exponents of p and of log p."""

LARGEST_SHARE: Final = 0.97
"""Of the least t/u, up to which u is taken off."""

ONE, LOG = ("0", 0), ("0", 1)
ROOT, LINEAR, SQUARE, CUBE = ("1/2", 0), ("1", 0), ("2", 0), ("3", 0)

DIFFERENCES: Final[tuple[tuple[Powers, Powers], ...]] = (
    (LOG, ONE),
    (("0", 2), LOG),
    (("1/3", 0), ONE),
    (ROOT, ONE),
    (("2/3", 0), ONE),
    (("2/3", 0), ("1/3", 0)),
    (("1/2", 1), ROOT),
    (LINEAR, ONE),
    (LINEAR, ROOT),
    (LINEAR, LOG),
    (("1", 1), LINEAR),
    (("3/2", 0), LINEAR),
    (("3/2", 0), ROOT),
    (SQUARE, LINEAR),
    (SQUARE, ("1", 1)),
    (("2", 1), SQUARE),
    (CUBE, SQUARE),
    (ONE, ("-1", 0)),
    (ONE, ("-1/2", 0)),
)
"""t and u of differences."""

SUMS: Final[tuple[tuple[Powers, Powers], ...]] = (
    (LINEAR, LOG),
    (ROOT, LOG),
    (LINEAR, ROOT),
    (("1", 1), LINEAR),
    (("3/2", 0), LINEAR),
    (SQUARE, LINEAR),
    (CUBE, SQUARE),
)
"""t and u of sums."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A growth beside which there is a lower-order term.

    Parameters
    ----------
    lower, leading
        u and t.
    """

    lower: Curve
    leading: Curve

    @property
    def growth(self) -> Growth:
        """That of t."""
        return growth_of(self.leading)


def differences(parameter: str) -> Iterator[Shape]:
    """Yield those whose lower-order term is taken off."""
    for leading, lower in DIFFERENCES:
        yield Shape(growth_with(parameter, lower), growth_with(parameter, leading))


def sums(parameter: str) -> Iterator[Shape]:
    """Yield those whose terms add up, of one base after the other."""
    for leading, lower in SUMS:
        yield Shape(growth_with(parameter, lower), growth_with(parameter, leading))
    one, logarithm = model_of(CONSTANT), model_of(growth_with(parameter, LOG))
    all_others = one - model_of(growth_with(parameter, ("-1", 0)))
    steps = model_of(growth_with(parameter, ("1", 1)))
    yield Shape(all_others, growth_with(parameter, LOG))
    # What is taken off a constant may be of any size, but all others are p - 1 of p.
    yield Shape(CONSTANT, all_others)
    yield Shape(CONSTANT, logarithm + all_others)
    yield Shape(CONSTANT, steps - model_of(growth_with(parameter, LINEAR)) + one)


def growth_with(parameter: str, powers: Powers) -> Growth:
    """Return the growth of a parameter with these exponents."""
    power, logarithm = powers
    return Growth.of(parameter, power=Fraction(power), log=logarithm)


def model_of(curve: Curve) -> Model:
    """Return a growth as the model that has nothing else; a model as it is."""
    if isinstance(curve, Model):
        return curve
    return Model(1.0) if curve == CONSTANT else Model(0.0, (Term(1.0, curve),))


def growth_of(curve: Curve) -> Growth:
    """Return what a curve grows like."""
    return curve if isinstance(curve, Growth) else curve.growth
