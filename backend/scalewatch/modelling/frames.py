"""Hypotheses with a base in common, f(x) = c₀·u(x) + c₁·t(x).

Measurements divided by u lead back to a constant and one term, t/u, so that all of
`evidence` serves any base. With u = 1 these are the growths of a space. With a falling
u they describe strong scaling: u alone, beside it the fixed part that remains (Amdahl's
law), or beside 1/p what grows meanwhile, as in a/p + b·log p.

References
----------
G. M. Amdahl, "Validity of the single processor approach to achieving large scale
computing capabilities", AFIPS 1967.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.growth import CONSTANT, Growth
from scalewatch.modelling.rules.terms import term_table
from scalewatch.modelling.space import Space, pmnf

Reals = NDArray[np.float64]
Indices = NDArray[np.intp]
Settings = Mapping[str, Reals]

FALLING: Final = ("1/4", "1/3", "1/2", "2/3", "3/4", "1", "3/2", "2")
"""Exponents of the falling powers that are tried where measurements fall."""

FASTEST: Final = Fraction(1)
"""Largest power that is tried beside 1/p."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A base u and H growths t beside it, one of which is u itself: u alone.

    Parameters
    ----------
    base
        u.
    growths
        t, which lead.
    log_base
        log u at the settings, less its largest, shape (n,).
    tau
        t/u over its largest value at the settings, shape (H, n).
    log2_scale
        Binary logarithms of what c₀ and each c₁ of `tau` are multiples of, (H, 2).
    """

    base: Growth
    growths: tuple[Growth, ...]
    log_base: Reals
    tau: Reals
    log2_scale: Reals

    @classmethod
    def of(cls, base: Growth, growths: Sequence[Growth], settings: Settings) -> "Frame":
        """Evaluate the growths; `base` has to be among them."""
        own = term_table((base,), settings)
        ratios = term_table([growth / base for growth in growths], settings)
        scale = np.full((len(growths), 2), own.log2_scale[0])
        scale[:, 1] += ratios.log2_scale
        with np.errstate(divide="ignore"):
            log_base = np.log(own.tau[0])
        return cls(base, tuple(growths), log_base, ratios.tau, scale)

    @property
    def alone(self) -> int:
        """Row of the base alone."""
        return self.growths.index(self.base)

    @property
    def hypotheses(self) -> tuple[tuple[Growth, ...], ...]:
        """The terms besides a constant, per row."""
        return tuple(
            tuple(dict.fromkeys(g for g in (self.base, growth) if g != CONSTANT))
            for growth in self.growths
        )

    @property
    def places(self) -> Indices:
        """Where c₀ and c₁ stand among a constant and the terms, shape (H, 2)."""
        return np.array(
            [
                [terms.index(g) + 1 if g in terms else 0 for g in (self.base, growth)]
                for growth, terms in zip(self.growths, self.hypotheses, strict=True)
            ]
        )


def frames_of(space: Space, settings: Settings) -> Iterator[Frame]:
    """Yield the growths of a space: those that rise, and each that falls by itself.

    One that falls from zero, as log p / p does at p = 1, is no base; it counts among
    those that rise, with a constant beside it.
    """
    falling = [g for g in space if g < CONSTANT and _is_base(g, settings)]
    yield Frame.of(CONSTANT, [g for g in space if g not in falling], settings)
    for growth in falling:
        yield _falling(growth, settings)


def falling_frames(parameter: str, settings: Settings) -> Iterator[Frame]:
    """Yield what strong scaling may be."""
    for exponent in FALLING:
        yield _falling(Growth.of(parameter, power=-Fraction(exponent)), settings)


def _falling(base: Growth, settings: Settings) -> Frame:
    beside: Sequence[Growth] = (CONSTANT,)
    (parameter,) = base.parameters
    if base == Growth.of(parameter, power=-1):
        usual = pmnf(parameter)
        beside = [g for g in usual if g.factor(parameter).power <= FASTEST]
    return Frame.of(base, (base, *beside), settings)


def _is_base(growth: Growth, settings: Settings) -> bool:
    return bool(np.isfinite(growth.log2(settings)).all())
