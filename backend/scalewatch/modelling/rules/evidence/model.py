"""Curves f(x) = c₀·u(x) + c₁·t(x): growths, their shapes, and bases of strong scaling.

With u = 1 these are the growths of a space. Beside them stand two kinds:

*Shapes*, growths with the lower-order term that programs have beside them. A process
sends to all others but itself, p - 1 messages; a tree has p log p - p + 1 comparisons;
an allgather moves (p - 1)/p of the data. A constant that is not negative does not
describe these: within a few settings p - 1 is nearer to p^(3/4) log p than to c + p.
Shapes are corrections to scaling as textbooks on parallel algorithms have them, either

* a difference c·(t - κ·u), where κ is uniform up to `LARGEST_SHARE` of the least t/u,
  so that the curve stays positive, or
* a sum c₀·u + c₁·t, which is weighed as growths with a base in common are.

*Bases*, a falling u of strong scaling: u alone, beside it the fixed part that remains
(Amdahl's law), or beside 1/p what grows meanwhile, as in a/p + b·log p.

References
----------
G. M. Amdahl, "Validity of the single processor approach to achieving large scale
computing capabilities", AFIPS 1967.
V. Kumar et al., "Introduction to Parallel Computing", 2nd ed. 2003, table 4.1.
M. E. Fisher, "The renormalization group in the theory of critical behavior", Reviews of
Modern Physics 46, 1974 (corrections to scaling).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import Model, Term
from scalewatch.modelling.growths.space import Space, pmnf
from scalewatch.modelling.growths.terms import log2_table
from scalewatch.modelling.measurements.location import Location
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.least_squares import FAINTEST, ScaledCurves

Curve = Growth | Model

Powers = tuple[str, int]
"""Exponents of p and of log p."""

LARGEST_SHARE: Final = ASSUMED.largest_share


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
        """Growth of t."""
        return growth_of(self.leading)


def differences(parameter: str) -> Iterator[Shape]:
    """Yield those whose lower-order term is taken off."""
    for leading, lower in DIFFERENCES:
        yield Shape(growth_with(parameter, lower), growth_with(parameter, leading))


def sums(parameter: str) -> Iterator[Shape]:
    """Yield those whose terms add up, of one base after the other."""
    for leading, lower in SUMS:
        yield Shape(growth_with(parameter, lower), growth_with(parameter, leading))
    unity, logarithm = model_of(CONSTANT), model_of(growth_with(parameter, LOG))
    all_others = unity - model_of(growth_with(parameter, ("-1", 0)))
    steps = model_of(growth_with(parameter, ("1", 1)))
    yield Shape(all_others, growth_with(parameter, LOG))
    # What is taken off a constant may be of any size, but all others are p - 1 of p.
    yield Shape(CONSTANT, all_others)
    yield Shape(CONSTANT, logarithm + all_others)
    yield Shape(CONSTANT, steps - model_of(growth_with(parameter, LINEAR)) + unity)


def growth_with(parameter: str, powers: Powers) -> Growth:
    """Return the growth of a parameter with these exponents."""
    power, logarithm = powers
    return Growth.of(parameter, power=Fraction(power), log=logarithm)


def model_of(curve: Curve) -> Model:
    """Return a growth as a model of one term; a model as it is."""
    if isinstance(curve, Model):
        return curve
    return Model(1.0) if curve == CONSTANT else Model(0.0, (Term(1.0, curve),))


def growth_of(curve: Curve) -> Growth:
    """Return the growth of a curve, that of its leading-order term."""
    return curve if isinstance(curve, Growth) else curve.growth


Settings = Mapping[str, Reals]

FALLING: Final = ("1/4", "1/3", "1/2", "2/3", "3/4", "1", "3/2", "2")
"""Exponents of the falling powers that are tried where measurements fall."""

FASTEST: Final = Fraction(1)
"""Largest power that is tried beside 1/p."""

LAWS: Final = (("0", 0), ("0", 1), ("-1/2", 0))
"""Exponents of p and of log p that strong scaling is known to leave beside 1/p: a part
that is fixed, a reduction, and in two dimensions the surface of what a process has."""


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
        Coefficients of a constant and of the terms per c₀ and c₁, shape (H, 2, 3).
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
        log2_base, above = _log2_ratios(base, rows, settings)
        scale = np.full((len(rows), 2), log2_base.max())
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
            log_base=(log2_base - log2_base.max()) * np.log(2),
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

    def at(self, targets: Settings) -> tuple[Reals, Reals]:
        """Return `log_base` and the binary logarithms of `tau`, (T,) and (H, T)."""
        log2_base, above = _log2_ratios(self.base, self.rows, targets)
        base = (log2_base - self.log2_scale[0, 0]) * np.log(2)
        return base, above - (self.log2_scale[:, 1:] - self.log2_scale[:, :1])


def _log2_ratios(
    base: Curve, rows: Sequence[Curve], settings: Settings
) -> tuple[Reals, Reals]:
    """Return binary logarithms of u, shape (n,), and of t/u, shape (H, n)."""
    (log2_base,) = log2_of([base], settings)
    is_base = np.array([[row == base] for row in rows])
    # Where both are zero or too large for a number, their ratio is not defined.
    with np.errstate(invalid="ignore"):
        ratios = log2_of(rows, settings) - log2_base
    return log2_base, np.where(is_base, 0.0, ratios)


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
    """Return the coefficients per c₀ of each u and c₁ of each t, shape (H, 2, 3)."""
    added = np.zeros((len(pairs), 2, 3))
    for row, (pair, terms) in enumerate(zip(pairs, hypotheses, strict=True)):
        for part, curve in enumerate(pair):
            added[row, part, 0] = curve.constant
            for term in curve.terms:
                added[row, part, 1 + terms.index(term.growth)] = term.coefficient
    return np.asarray(added * np.exp2(-log2_scale)[..., np.newaxis])


def curves_of(frames: Sequence[Frame]) -> ScaledCurves:
    """Return the growths of all frames, in their order."""
    sizes = [len(frame.growths) for frame in frames]
    starts = np.cumsum([0, *sizes[:-1]])
    base = [np.broadcast_to(np.exp(f.log_base), f.tau.shape) for f in frames]
    alone = [
        start + frame.alone if frame.base in frame.rows else -1
        for start, frame in zip(starts.tolist(), frames, strict=True)
    ]
    return ScaledCurves(
        tau=np.concatenate([frame.tau for frame in frames]),
        alone=np.repeat(alone, sizes),
        base=np.concatenate(base) if any(f.log_base.any() for f in frames) else None,
    )


def frames_of(
    space: Space, settings: Settings, *, may_fall: bool = False
) -> tuple[Frame, ...]:
    """Return the growths of a space: those that rise, and each that falls by itself.

    One that falls from zero, as log p / p does at p = 1, is no base; it counts among
    those that rise, with a constant beside it. Where measurements of one parameter
    `may_fall`, curves of strong scaling follow.
    """
    bases = [
        g for g in space if g < CONSTANT and bool(np.isfinite(g.log2(settings)).all())
    ]
    rising = Frame.of(CONSTANT, [g for g in space if g not in bases], settings)
    if may_fall:
        (parameter,) = settings
        bases += [Growth.of(parameter, power=-Fraction(power)) for power in FALLING]
    return (rising, *(_falling(base, settings) for base in bases))


def falls(location: Location) -> NDArray[np.bool_]:
    """Tell which series lie significantly higher at the first point than later."""
    drop = location.log[0] - np.minimum.reduce(location.log)
    return np.asarray(drop > ASSUMED.fall * np.sqrt(2 * location.variance))


def _falling(base: Growth, settings: Settings) -> Frame:
    beside: Sequence[Growth] = (CONSTANT,)
    (parameter,) = base.parameters
    if base == Growth.of(parameter, power=-1):
        usual = pmnf(parameter)
        beside = [g for g in usual if g.factor(parameter).power <= FASTEST]
        beside.append(Growth.of(parameter, power=-Fraction(1, 2)))
    return Frame.of(base, (base, *beside), settings)
