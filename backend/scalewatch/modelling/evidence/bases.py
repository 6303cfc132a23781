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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays.types import Indices, Reals
from scalewatch.modelling.evidence.curves import ScaledCurves
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.space import Space, pmnf
from scalewatch.modelling.growths.terms import term_table
from scalewatch.modelling.measurements.location import Location

Settings = Mapping[str, Reals]

FALLING: Final = ("1/4", "1/3", "1/2", "2/3", "3/4", "1", "3/2", "2")
"""Exponents of the falling powers that are tried where measurements fall."""

FASTEST: Final = Fraction(1)
"""Largest power that is tried beside 1/p."""

FALL: Final = 4.0
"""Standard deviations by which the first point lies above the least where it falls."""


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
    hypotheses
        The terms besides a constant, per row.
    places
        Where c₀ and c₁ stand among a constant and the terms, shape (H, 2).
    """

    base: Growth
    growths: tuple[Growth, ...]
    log_base: Reals
    tau: Reals
    log2_scale: Reals
    hypotheses: tuple[tuple[Growth, ...], ...]
    places: Indices

    @classmethod
    def of(cls, base: Growth, growths: Sequence[Growth], settings: Settings) -> "Frame":
        """Evaluate the growths; `base` has to be among them."""
        own = term_table((base,), settings)
        ratios = term_table([growth / base for growth in growths], settings)
        scale = np.full((len(growths), 2), own.log2_scale[0])
        scale[:, 1] += ratios.log2_scale
        with np.errstate(divide="ignore"):
            log_base = np.log(own.tau[0])
        hypotheses = tuple(_terms(base, growth) for growth in growths)
        places = [
            [terms.index(g) + 1 if g in terms else 0 for g in (base, growth)]
            for growth, terms in zip(growths, hypotheses, strict=True)
        ]
        return cls(
            base=base,
            growths=tuple(growths),
            log_base=log_base,
            tau=ratios.tau,
            log2_scale=scale,
            hypotheses=hypotheses,
            places=np.array(places),
        )

    @property
    def alone(self) -> int:
        """Row of the base alone."""
        return self.growths.index(self.base)


def _terms(*growths: Growth) -> tuple[Growth, ...]:
    return tuple(dict.fromkeys(g for g in growths if g != CONSTANT))


def curves_of(frames: Sequence[Frame]) -> ScaledCurves:
    """Return the growths of all frames, in their order."""
    sizes = [len(frame.growths) for frame in frames]
    starts = np.cumsum([0, *sizes[:-1]])
    base = [np.broadcast_to(np.exp(f.log_base), f.tau.shape) for f in frames]
    return ScaledCurves(
        tau=np.concatenate([frame.tau for frame in frames]),
        alone=np.repeat(starts + [frame.alone for frame in frames], sizes),
        base=np.concatenate(base) if any(f.log_base.any() for f in frames) else None,
    )


def by_frame(frames: Sequence[Frame], rows: Reals) -> list[Reals]:
    """Part rows, one per growth, by frame."""
    ends = np.cumsum([len(frame.growths) for frame in frames])
    return np.split(rows, ends[:-1])


def frames_of(
    space: Space, settings: Settings, *, may_fall: bool = False
) -> tuple[Frame, ...]:
    """Return the growths of a space: those that rise, and each that falls by itself.

    One that falls from zero, as log p / p does at p = 1, is no base; it counts among
    those that rise, with a constant beside it. Where measurements of one parameter
    `may_fall`, what strong scaling may be follows.
    """
    columns = tuple((name, tuple(x.tolist())) for name, x in settings.items())
    return _frames(space, columns, may_fall)


def falls(location: Location) -> NDArray[np.bool_]:
    """Tell which series lie significantly higher at the first point than later."""
    drop = location.log[0] - np.minimum.reduce(location.log)
    return np.asarray(drop > FALL * np.sqrt(2 * location.variance))


# Many batches have the same few settings.
@lru_cache(maxsize=128)
def _frames(
    space: Space,
    columns: tuple[tuple[str, tuple[float, ...]], ...],
    may_fall: bool,  # noqa: FBT001, a cache knows no keywords
) -> tuple[Frame, ...]:
    settings = {name: np.array(x) for name, x in columns}
    return tuple(_all_frames(space, settings, may_fall=may_fall))


def _all_frames(space: Space, settings: Settings, *, may_fall: bool) -> Iterator[Frame]:
    falling = [g for g in space if g < CONSTANT and _is_base(g, settings)]
    yield Frame.of(CONSTANT, [g for g in space if g not in falling], settings)
    for growth in falling:
        yield _falling(growth, settings)
    if may_fall:
        (parameter,) = settings
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
