"""All curves that compete for a series.

Besides the growths of a space there are their shapes and, where measurements fall, the
curves of strong scaling, see `model`.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain, groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Indices, Reals, Scratch
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.growths.space import Space
from scalewatch.modelling.measurements.assumptions import Noise
from scalewatch.modelling.measurements.discrepancy import Departing
from scalewatch.modelling.rules.evidence.assumptions import ASSUMED
from scalewatch.modelling.rules.evidence.laplace import DifferenceFits, GrowthFits
from scalewatch.modelling.rules.evidence.least_squares import Measured, ScaledCurves
from scalewatch.modelling.rules.evidence.model import (
    Frame,
    Shape,
    are_defined,
    curves_of,
    differences,
    frames_of,
    log2_of,
    sums,
)
from scalewatch.modelling.rules.evidence.weighing import (
    Competing,
    Fits,
    Likelihood,
    Weighed,
)

Settings = Mapping[str, Reals]

LEADING: Final = ASSUMED.leading


@dataclass(frozen=True, eq=False)
class Hypotheses:
    """H curves: differences, the growths of the space, sums, and those that fall.

    Those that do not fall are the first ones, whether or not others follow. The same
    space and settings have the same ones, so that they are keys of caches.

    Parameters
    ----------
    differences
        Of one curve each.
    rising
        The growths of the space that are no base, and a constant beside them.
    sums, falling
        By base.
    """

    differences: tuple[Frame, ...]
    rising: Frame
    sums: tuple[Frame, ...]
    falling: tuple[Frame, ...]

    @classmethod
    def of(
        cls, space: Space, settings: Settings, *, may_fall: bool = False
    ) -> "Hypotheses":
        """Return the growths of a space at some settings, and their shapes.

        Where measurements of one parameter `may_fall`, what strong scaling may be
        follows.
        """
        columns = tuple((name, tuple(x.tolist())) for name, x in settings.items())
        return _hypotheses(space, columns, may_fall)

    @cached_property
    def frames(self) -> tuple[Frame, ...]:
        """All whose terms add up."""
        return (self.rising, *self.sums, *self.falling)

    @cached_property
    def every(self) -> tuple[Frame, ...]:
        """All in their order."""
        return (*self.differences, *self.frames)

    @cached_property
    def growths(self) -> tuple[Growth, ...]:
        """Which leads, per curve."""
        return tuple(chain.from_iterable(frame.growths for frame in self.every))

    @cached_property
    def leading(self) -> tuple[Growth, ...]:
        """The growths, each once."""
        return tuple(dict.fromkeys(self.growths))

    @cached_property
    def leads(self) -> Indices:
        """Which of `leading` leads, per curve."""
        return np.array([self.leading.index(growth) for growth in self.growths])

    @cached_property
    def constant(self) -> int:
        """Row of the constant alone."""
        return len(self.differences) + self.rising.alone

    @cached_property
    def is_alone(self) -> NDArray[np.bool_]:
        """Whether a base has no term beside it, per curve."""
        return np.array(
            [row == frame.base for frame in self.every for row in frame.rows]
        )

    @cached_property
    def first(self) -> Indices:
        """The first curve of each of `leading`."""
        return np.array([self.growths.index(growth) for growth in self.leading])

    @cached_property
    def of_leading(self) -> Indices:
        """The curves of each of `leading` in rising order, shape (M, G).

        Of growths that have fewer than others the last one is repeated.
        """
        curves = [np.flatnonzero(self.leads == row) for row in range(len(self.first))]
        most = max(map(len, curves))
        return np.array(
            [np.pad(each, (0, most - len(each)), "edge") for each in curves]
        ).T

    @cached_property
    def others(self) -> tuple[int, ...]:
        """All that are not the first of their growth."""
        return tuple(sorted({*range(len(self))} - {*self.first.tolist()}))

    def by_growth(self, rows: Reals) -> Reals:
        """Add up rows, one per curve, by what leads."""
        sums = rows[self.first]
        for row in self.others:
            sums[self.leads[row]] += rows[row]
        return sums

    @cached_property
    def terms(self) -> tuple[tuple[Growth, ...], ...]:
        """The terms besides a constant, per curve."""
        return tuple(chain.from_iterable(frame.hypotheses for frame in self.every))

    @cached_property
    def contributions(self) -> Reals:
        """Coefficients of a constant and the terms per c₀ and c₁, shape (H, 2, 3)."""
        return np.concatenate([frame.contributions for frame in self.every])

    @cached_property
    def curves(self) -> ScaledCurves:
        """All of them."""
        return curves_of(self.every)

    @cached_property
    def competing(self) -> Competing:
        """All of them, differences and those whose terms add up."""
        curves, first = self.curves, len(self.differences)
        taken_off, added = slice(0, first), slice(first, len(self))
        parts: tuple[tuple[slice, Fits], ...] = (
            (taken_off, DifferenceFits.of(curves.rows(taken_off))),
            (added, GrowthFits.of(curves.rows(added))),
        )
        return Competing(curves, parts if first else parts[1:])

    def __len__(self) -> int:
        return len(self.growths)

    def weigh_sizes(
        self, locations: Sequence[Departing], noise: Noise, scratch: Scratch
    ) -> list[Weighed]:
        """Weigh every curve under every size of the discrepancy, see `sizes`.

        Under one size a curve is negligible if it is so beside another size.
        """
        rival: Reals | float = -np.inf
        weighed = []
        for location in locations:
            share = location.log_share
            # A size that no repetition tells has the share 0, and no rival either.
            beside = rival - np.where(np.isfinite(share), share, 0.0)
            weighed.append(self.weigh(location, noise, scratch, rival=beside))
            rival = np.maximum(rival, weighed[-1].phi + share)
        return weighed

    def scratch(self, series: int) -> Scratch:
        """Return what `weigh` needs for so many series.

        A thread keeps that of a large block for its next batch.
        """
        shape = len(self), series
        if series < ASSUMED.large:
            return Scratch(shape)
        if _kept.scratch.shape != shape:
            _kept.scratch = Scratch(shape)
        return _kept.scratch

    def weigh(
        self,
        location: Departing,
        noise: Noise,
        scratch: Scratch,
        *,
        thoroughly: bool = False,
        rival: Reals | float = -np.inf,
    ) -> Weighed:
        """Weigh every curve for every series of the scratch, see `Competing`."""
        return self.competing.weigh(
            Measured.of(location),
            Likelihood.of(location, noise),
            scratch,
            thoroughly=thoroughly,
            rival=rival,
        )


class _Kept(threading.local):
    """The scratch of the last large block of a thread."""

    scratch = Scratch((0, 0))


_kept = _Kept()


# Many batches have the same few settings.
@lru_cache(maxsize=128)
def _hypotheses(
    space: Space,
    columns: tuple[tuple[str, tuple[float, ...]], ...],
    may_fall: bool,  # noqa: FBT001, a cache knows no keywords
) -> Hypotheses:
    settings = {name: np.array(x) for name, x in columns}
    rising, *falling = frames_of(space, settings, may_fall=may_fall)
    if len(settings) > 1:
        return Hypotheses((), rising, (), tuple(falling))
    (parameter,) = settings
    taken_off = tuple(_positive(differences(parameter), rising, settings))
    added = groupby(
        _positive(sums(parameter), rising, settings), lambda shape: shape.lower
    )
    return Hypotheses(
        tuple(Frame.of(s.lower, (s.leading,), settings) for s in taken_off),
        rising,
        tuple(
            Frame.of(lower, [shape.leading for shape in shapes], settings, LEADING)
            for lower, shapes in added
        ),
        tuple(falling),
    )


def _positive(
    shapes: Iterable[Shape], rising: Frame, settings: Settings
) -> Iterator[Shape]:
    """Yield the shapes of growths that compete which are positive at all settings."""
    for shape in shapes:
        curves = [shape.lower, shape.leading]
        if shape.growth not in rising.growths or not are_defined(curves, settings):
            continue
        if np.isfinite(log2_of(curves, settings)).all():
            yield shape
