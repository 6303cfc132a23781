"""Curves of a scan: its model, its expectation and what may deviate from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling import ExpectedLevel, Forecast, Growth, Model
from scalewatch.modelling.arrays import Reals

STEPS: Final = 120
"""Points of a curve."""

BESIDE: Final = 1e-3
"""By so small a share a curve may leave its interval."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """A scan with its model, expectation and forecasts, as its plot draws them.

    Parameters
    ----------
    name
        The machine and, where it has several scans, what tells this one from them.
    slot
        Position of the machine among the project's; it fixes the colour.
    x, low, middle, high
        Settings of the parameter and quartiles of the metric there, shape (n,).
    repetitions
        All values at each setting, n of any length; empty where they are not kept.
    level
        Where the expectation agrees with a measurement; None where only its growth is
        known.
    held
        Settings of the other parameters of the model; what is drawn was measured there.
    position
        Place among the scans of the machine; with the slot it fixes the symbol.
    forecasts
        Intervals along the parameter; those beyond x extend the picture to there.
    is_open
        Whether the growth is open; then the model is one of the candidates.
    candidates
        What the growth may be, the likeliest first; none where no growth explains it.
    is_left_out
        Whether processes shared cores, so that the time there is no evidence, shape
        (n,); empty where that holds of none.
    """

    name: str
    slot: int
    parameter: str
    metric: str
    unit: str
    x: Reals
    low: Reals
    middle: Reals
    high: Reals
    repetitions: tuple[Reals, ...] = ()
    model: Model | None = None
    expectation: Growth | None = None
    deviation_limit: Growth | None = None
    level: ExpectedLevel | None = None
    held: Mapping[str, float] = field(default_factory=dict)
    position: int = 0
    forecasts: tuple[Forecast, ...] = ()
    is_open: bool = False
    candidates: tuple[Model, ...] = ()
    is_left_out: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, bool))

    @property
    def evidence(self) -> Self:
        """The measurements on which model and verdict rest."""
        return self._where(~self.is_left_out) if self.is_left_out.size else self

    @property
    def left_out(self) -> Self:
        """The measurements that are no evidence."""
        nowhere = np.zeros(self.x.size, bool)
        return self._where(self.is_left_out if self.is_left_out.size else nowhere)

    @property
    def largest(self) -> float:
        """Largest setting that was measured."""
        return float(self.x.max())

    @property
    def end(self) -> float:
        """Largest setting that is drawn."""
        reached = (forecast.at[self.parameter] for forecast in self.forecasts)
        return max(self.largest, *reached) if self.forecasts else self.largest

    def _where(self, is_kept: NDArray[np.bool_]) -> Self:
        kept = np.flatnonzero(is_kept)
        return replace(
            self,
            x=self.x[kept],
            low=self.low[kept],
            middle=self.middle[kept],
            high=self.high[kept],
            repetitions=tuple(self.repetitions[each] for each in kept)
            if self.repetitions
            else (),
            is_left_out=np.empty(0, bool),
        )

    def at(self, x: Reals) -> Mapping[str, Reals | float]:
        """Return the settings of all parameters along the scan."""
        return {**self.held, self.parameter: x}

    def knows(self, growth: Growth) -> bool:
        """Tell whether a growth can be drawn over the parameter of the scan."""
        return set(growth.parameters) <= {self.parameter, *self.held}

    @property
    def bounds(self) -> Reals:
        """Settings with their lower and upper bounds, shape (3, m)."""
        known = [
            (each.at[self.parameter], each.low, each.high)
            for each in self.forecasts
            if each.low is not None and each.high is not None
        ]
        return np.array(known).T if known else np.empty((3, 0))

    def bounds_at(self, x: Reals) -> tuple[Reals, Reals] | None:
        """Return the interval that is drawn, as it is at `x`; NaN beyond its ends.

        Between the settings where it was computed, its distance from the model is
        interpolated: chords of the bounds themselves would cut through a curve that
        bends, such as a + b p over log p.
        """
        settings, lowest, highest = self.bounds
        is_positive = lowest > 0
        if not is_positive.any():
            return None
        at = np.log(settings[is_positive])
        places = np.log(x)
        shape, at_x = self._shape(settings[is_positive]), self._shape(x)
        if shape is None or at_x is None:
            shape, at_x = np.zeros(at.size), np.zeros(places.size)
        is_known = (places >= at[0] - BESIDE) & (places <= at[-1] + BESIDE)
        lower, upper = (
            np.where(
                is_known,
                np.exp(
                    at_x + np.interp(places, at, np.log(bound[is_positive]) - shape)
                ),
                np.nan,
            )
            for bound in (lowest, highest)
        )
        return lower, upper

    def _shape(self, x: Reals) -> Reals | None:
        """Return the logarithm of the model at `x`; None where it is not positive."""
        values = self.modelled(x)
        if values is None or not (values > 0).all():
            return None
        return np.log(values)

    def bounded(self, x: Reals, values: Reals) -> Reals:
        """Return a curve where it lies in the interval that is drawn, else NaN."""
        bounds = self.bounds_at(x)
        if bounds is None:
            return values
        low, high = bounds
        is_outside = (values < low * (1 - BESIDE)) | (values > high * (1 + BESIDE))
        return np.where(is_outside, np.nan, values)

    def shape_of(self, expectation: Growth) -> ExpectedLevel | None:
        """Return the level at which an expectation is drawn that has none."""
        measured = zip(self.x.tolist(), self.middle.tolist(), strict=True)
        at_each = [({**self.held, self.parameter: x}, value) for x, value in measured]
        return ExpectedLevel.of(expectation, at_each, self.model)

    def modelled(self, x: Reals) -> Reals | None:
        """Return the values of the model at `x`; None if it has other parameters."""
        model = self.model
        if model is None or not all(self.knows(term.growth) for term in model.terms):
            return None
        return np.broadcast_to(model(self.at(x)), x.shape)


@dataclass(frozen=True, slots=True)
class Curves:
    """Values along the settings of a scan, each of the shape of `x`, or None.

    Parameters
    ----------
    x
        From the smallest setting to the largest that is drawn; the largest that was
        measured is one of them.
    lower, upper
        The limits E/D and E·D.
    has_level
        Whether the values of the expectation mean something, or its shape alone.
    """

    x: Reals
    model: Reals | None
    expectation: Reals | None = None
    lower: Reals | None = None
    upper: Reals | None = None
    has_level: bool = False

    @property
    def drawn(self) -> Reals:
        """Values of all curves that there are."""
        curves = (self.model, self.expectation, self.lower, self.upper)
        return np.concatenate(
            [np.empty(0), *(values for values in curves if values is not None)]
        )


def curves_of(scaling: Scaling) -> Curves:
    """Return the curves of a scan over its parameter.

    An expectation states growth: it is drawn at its level, and so are its limits; what
    grows faster leaves them to the right. Where its level is unknown its shape is
    drawn, from where the scan begins. What is left out has no part in any of them; a
    single setting has none.
    """
    scaling = scaling.evidence
    if np.unique(scaling.x).size < 2:
        return Curves(scaling.x, None)
    x = np.geomspace(scaling.x.min(), scaling.largest, STEPS)
    if scaling.end != scaling.largest:
        beyond = np.geomspace(scaling.largest, scaling.end, STEPS // 2)
        x = np.concatenate([x, beyond[1:]])
    model = scaling.modelled(x)
    expectation, limit = scaling.expectation, scaling.deviation_limit
    if expectation is None or not scaling.knows(expectation):
        return Curves(x, model)
    level = scaling.level
    has_level = level is not None and level.holds_along(
        scaling.parameter, expectation, scaling.held
    )
    if level is None or not has_level:
        level = scaling.shape_of(expectation)
    if level is None:
        return Curves(x, model)
    expected = _along(level.curve(expectation), scaling, x)
    if limit is None or not limit.factors or not scaling.knows(limit):
        return Curves(x, model, expected, has_level=has_level)
    lower = _along(level.curve(expectation / limit), scaling, x)
    upper = _along(level.curve(expectation * limit), scaling, x)
    return Curves(x, model, expected, lower, upper, has_level)


def middle_of(curves: Sequence[Curves]) -> list[int]:
    """Return the position of the expectation that begins in the middle, if any."""
    begins = {
        place: float(each.expectation[0])
        for place, each in enumerate(curves)
        if each.expectation is not None and np.isfinite(each.expectation[0])
    }
    return sorted(begins, key=begins.__getitem__)[len(begins) // 2 :][:1]


def _along(curve: Model, scaling: Scaling, x: Reals) -> Reals:
    """Return the values of an expectation or a limit of it along a scan.

    Where a growth has no positive value, as log p at 1, there is nothing to draw: NaN.
    """
    held = tuple(sorted(scaling.held.items()))
    values = np.full(x.shape, curve.constant)
    for term in curve.terms:
        grown = _values(term.growth, scaling.parameter, held, x.tobytes())
        values = values + term.coefficient * grown
    return values


# Cached by content: machines are measured at the same settings, and drawn again.
@lru_cache(maxsize=1024)
def _values(
    growth: Growth, parameter: str, held: tuple[tuple[str, float], ...], along: bytes
) -> Reals:
    """Return a growth at the bytes of settings, NaN where it has no positive value."""
    settings = np.frombuffer(along)
    fixed = dict(held)
    values = np.full(settings.shape, np.nan)
    defined = np.broadcast_to(
        growth.is_defined({**fixed, parameter: settings}), values.shape
    )
    values[defined] = growth({**fixed, parameter: settings[defined]})
    values[values <= 0] = np.nan
    values.flags.writeable = False
    return values
