"""A composed model beside the measurements that it is about."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.compositions.formula import Formula
from scalewatch.modelling.compositions.series import Measured
from scalewatch.modelling.search.finding import Finding, Forecast


@dataclass(frozen=True, slots=True)
class ComposedPoint:
    """What was measured at a setting, and what the composed model says there."""

    setting: tuple[float, ...]
    measured: float
    expected: float

    @property
    def quotient(self) -> float:
        """Measured/composed."""
        return self.measured / self.expected


@dataclass(frozen=True, slots=True)
class ComposedForecast:
    """What a composed model says at settings that nobody measured, and the quotient.

    Parameters
    ----------
    expected
        Of the composed model, in the unit of the series.
    quotient
        The forecast of measured/composed, None where there is none.
    """

    at: Mapping[str, float]
    expected: float
    quotient: Forecast | None


@dataclass(frozen=True, slots=True, eq=False)
class Composed:
    """A composed model beside the measurements that it is about.

    Parameters
    ----------
    settings
        Where both are known and no cores were shared, shape (n, parameters).
    measured, expected
        One value per setting, in the unit of the series.
    quotient
        What is found about measured/composed, which is expected to be constant.
    left_out
        Settings at which cores were shared, or a part has no value.
    forecasts
        At the settings that were asked for, where all parts have a value.
    """

    formula: Formula
    series: Measured
    settings: Reals
    measured: Reals
    expected: Reals
    quotient: Finding
    left_out: Reals
    forecasts: tuple[ComposedForecast, ...] = ()

    @property
    def points(self) -> list[ComposedPoint]:
        """The settings one by one."""
        rows = zip(
            self.settings.tolist(),
            self.measured.tolist(),
            self.expected.tolist(),
            strict=True,
        )
        return [ComposedPoint(tuple(at), *values) for at, *values in rows]

    @property
    def quotients(self) -> Reals:
        """Measured/composed at each setting."""
        return self.measured / self.expected

    @property
    def largest_deviation(self) -> float:
        """How far a measurement is off at most, as a share of the composed value."""
        return float(np.abs(self.quotients - 1).max())
