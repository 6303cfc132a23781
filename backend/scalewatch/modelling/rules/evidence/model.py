"""Hypotheses with a base in common, f(x) = c₀·u(x) + c₁·t(x).

With u = 1 these are the growths of a space. With a falling u they describe strong
scaling: u alone, beside it the fixed part that remains (Amdahl's law), or beside 1/p
what grows meanwhile, as in a/p + b·log p. All of them are weighed at once, see
`curves`.

References
----------
G. M. Amdahl, "Validity of the single processor approach to achieving large scale
computing capabilities", AFIPS 1967.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model
from scalewatch.modelling.growths.space import Space, pmnf
from scalewatch.modelling.growths.terms import log2_table
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.curves import ScaledCurves
from scalewatch.modelling.rules.evidence.least_squares import FAINTEST
from scalewatch.modelling.rules.evidence.shapes import (
    Curve,
    growth_of,
    growth_with,
    model_of,
)

Settings = Mapping[str, Reals]

FALLING: Final = ("1/4", "1/3", "1/2", "2/3", "3/4", "1", "3/2", "2")
"""Exponents of the falling powers that are tried where measurements fall."""

FASTEST: Final = Fraction(1)
"""Largest power that is tried beside 1/p."""

LAWS: Final = (("0", 0), ("0", 1), ("-1/2", 0))
"""Exponents of p and of log p that strong scaling is known to leave beside 1/p: a part
that is fixed, a reduction, and in two dimensions the surface of what a process has."""

FALL: Final = 4.0
"""Standard deviations by which the first point lies above the least where it falls."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A base u and H curves t beside it; one that is u itself stands for u alone.

    Parameters
    ----------
    base, rows
        u and t.
    growths
        Those of t, which lead.
    log_base
        log u at the settings, less its largest, shape (n,).
    tau
        t/u over its largest value at the settings, or more where less of it counts as
        nothing, shape (H, n).
    log2_scale
        Binary logarithms of what c₀ and each c₁ of `tau` are multiples of, (H, 2).
    hypotheses
        The terms besides a constant, per row.
    contributions
        What c₀ and c₁ add to a constant and to the terms, shape (H, 2, 3).
    """

    base: Curve
    rows: tuple[Curve, ...]
    growths: tuple[Growth, ...]
    log_base: Reals
    tau: Reals
    log2_scale: Reals
    hypotheses: tuple[tuple[Growth, ...], ...]
    contributions: Reals

    @classmethod
    def of(
        cls,
        base: Curve,
        rows: Sequence[Curve],
        settings: Settings,
        least: float = FAINTEST,
    ) -> "Frame":
        """Evaluate the curves.

        Parameters
        ----------
        base, rows
            u and t.
        settings
            Where.
        least
            Share of t beside u at the largest setting from which on it counts.
        """
        own, above = _log2_ratios(base, rows, settings)
        scale = np.full((len(rows), 2), own.max())
        largest = above.max(axis=1)
        largest[~np.isfinite(largest)] = 0.0
        largest += np.log2(FAINTEST / least)
        scale[:, 1] += largest
        pairs = [(model_of(base), model_of(row)) for row in rows]
        hypotheses = tuple(terms_of(*pair) for pair in pairs)
        return cls(
            base=base,
            rows=tuple(rows),
            growths=tuple(map(growth_of, rows)),
            log_base=(own - own.max()) * np.log(2),
            tau=np.exp2(above - largest[:, np.newaxis]),
            log2_scale=scale,
            hypotheses=hypotheses,
            contributions=contributions_of(pairs, hypotheses, scale),
        )

    @property
    def alone(self) -> int:
        """Row of the base alone."""
        return self.rows.index(self.base)

    @property
    def is_law(self) -> NDArray[np.bool_]:
        """Which rows strong scaling is known to have beside 1/p, shape (H,)."""
        parameters = growth_of(self.base).parameters
        laws = {growth_with(name, powers) for name in parameters for powers in LAWS}
        return np.array([row != self.base and row in laws for row in self.rows])

    def log_base_at(self, targets: Settings) -> Reals:
        """Return log u at targets, less its largest at the settings, shape (T,)."""
        (own,) = log2_of([self.base], targets)
        return np.asarray((own - self.log2_scale[0, 0]) * np.log(2))

    def at(self, targets: Settings) -> tuple[Reals, Reals]:
        """Return `log_base` and the binary logarithms of `tau`, (T,) and (H, T)."""
        own, above = _log2_ratios(self.base, self.rows, targets)
        base = (own - self.log2_scale[0, 0]) * np.log(2)
        return base, above - (self.log2_scale[:, 1:] - self.log2_scale[:, :1])


def _log2_ratios(
    base: Curve, rows: Sequence[Curve], settings: Settings
) -> tuple[Reals, Reals]:
    """Return binary logarithms of u, shape (n,), and of t/u, shape (H, n)."""
    (own,) = log2_of([base], settings)
    is_base = np.array([[row == base] for row in rows])
    # Where both are zero or too large for a number, their ratio is not defined.
    with np.errstate(invalid="ignore"):
        return own, np.where(is_base, 0.0, log2_of(rows, settings) - own)


def log2_of(curves: Sequence[Curve], settings: Settings) -> Reals:
    """Return binary logarithms of curves, shape (H, n), NaN where undefined."""
    growths = [curve for curve in curves if isinstance(curve, Growth)]
    if len(growths) == len(curves):
        return log2_table(growths, settings)
    with np.errstate(divide="ignore", invalid="ignore"):
        rows = [np.log2(model_of(curve)(settings)) for curve in curves]
    size = len(next(iter(settings.values())))
    return np.stack([np.broadcast_to(row, size) for row in rows])


def are_defined(curves: Sequence[Curve], settings: Settings) -> bool:
    """Tell whether curves have values at all settings."""
    growths = terms_of(*map(model_of, curves))
    return all(growth.is_defined(settings).all() for growth in growths)


def terms_of(*curves: Model) -> tuple[Growth, ...]:
    """Return the growths that curves have besides a constant, each once."""
    return tuple(dict.fromkeys(term.growth for each in curves for term in each.terms))


def contributions_of(
    pairs: Sequence[tuple[Model, Model]],
    hypotheses: Sequence[tuple[Growth, ...]],
    log2_scale: Reals,
) -> Reals:
    """Return what c₀ of each u and c₁ of each t add to the coefficients, (H, 2, 3)."""
    found = np.zeros((len(pairs), 2, 3))
    for row, (pair, terms) in enumerate(zip(pairs, hypotheses, strict=True)):
        for part, curve in enumerate(pair):
            found[row, part, 0] = curve.constant
            for term in curve.terms:
                found[row, part, 1 + terms.index(term.growth)] = term.coefficient
    return np.asarray(found * np.exp2(-log2_scale)[..., np.newaxis])


def curves_of(frames: Sequence[Frame]) -> ScaledCurves:
    """Return the growths of all frames, in their order."""
    sizes = [len(frame.growths) for frame in frames]
    starts = np.cumsum([0, *sizes[:-1]])
    base = [np.broadcast_to(np.exp(f.log_base), f.tau.shape) for f in frames]
    own = [
        start + frame.alone if frame.base in frame.rows else -1
        for start, frame in zip(starts.tolist(), frames, strict=True)
    ]
    return ScaledCurves(
        tau=np.concatenate([frame.tau for frame in frames]),
        alone=np.repeat(own, sizes),
        base=np.concatenate(base) if any(f.log_base.any() for f in frames) else None,
    )


def frames_of(
    space: Space, settings: Settings, *, may_fall: bool = False
) -> tuple[Frame, ...]:
    """Return the growths of a space: those that rise, and each that falls by itself.

    One that falls from zero, as log p / p does at p = 1, is no base; it counts among
    those that rise, with a constant beside it. Where measurements of one parameter
    `may_fall`, what strong scaling may be follows.
    """
    bases = [g for g in space if g < CONSTANT and _is_base(g, settings)]
    rising = Frame.of(CONSTANT, [g for g in space if g not in bases], settings)
    if may_fall:
        (parameter,) = settings
        bases += [Growth.of(parameter, power=-Fraction(power)) for power in FALLING]
    return (rising, *(_falling(base, settings) for base in bases))


def falls(location: Location) -> NDArray[np.bool_]:
    """Tell which series lie significantly higher at the first point than later."""
    drop = location.log[0] - np.minimum.reduce(location.log)
    return np.asarray(drop > FALL * np.sqrt(2 * location.variance))


def _falling(base: Growth, settings: Settings) -> Frame:
    beside: Sequence[Growth] = (CONSTANT,)
    (parameter,) = base.parameters
    if base == Growth.of(parameter, power=-1):
        usual = pmnf(parameter)
        beside = [g for g in usual if g.factor(parameter).power <= FASTEST]
        beside.append(Growth.of(parameter, power=-Fraction(1, 2)))
    return Frame.of(base, (base, *beside), settings)


def _is_base(growth: Growth, settings: Settings) -> bool:
    return bool(np.isfinite(growth.log2(settings)).all())
