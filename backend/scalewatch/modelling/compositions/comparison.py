"""A composed model beside the measurements that it is about, at given settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.compositions.formula import Formula, Unit, parse_unit
from scalewatch.modelling.growths.model import Model
from scalewatch.modelling.measurements.assumptions import Summary
from scalewatch.modelling.measurements.location import summarise
from scalewatch.modelling.search.finding import Finding, Forecast

TIME: Final = "s"


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A series with the model that was found for it.

    Parameters
    ----------
    unit
        Unit of the values; None where nothing tells it.
    configuration
        What is held fixed.
    parameters, settings, values
        What is varied, its coordinates, shape (n, parameters), and the repetitions at
        each, shape (n, R); NaN is missing.
    crowded
        Where processes or threads shared cores, shape (n,): no evidence.
    model
        None where there is none.
    """

    region: str
    metric: str
    unit: str | None
    configuration: Mapping[str, object]
    parameters: tuple[str, ...]
    settings: Reals
    values: Reals
    crowded: NDArray[np.bool_]
    model: Model | None = None

    @property
    def title(self) -> str:
        """The series in words."""
        held = ", ".join(f"{name}={at}" for name, at in self.configuration.items())
        return f"{self.region}:{self.metric}{f' ({held})' if held else ''}"

    @property
    def size(self) -> float:
        """The size of its unit in seconds and numbers."""
        return 1.0 if self.unit is None else parse_unit(self.unit)[0]

    @property
    def dimension(self) -> Unit | None:
        """Its unit without the size."""
        return None if self.unit is None else parse_unit(self.unit)[1]

    def column(self, name: str) -> Reals:
        """Return the settings of a parameter that is varied or held."""
        settings = self.setting(name)
        assert settings is not None
        return settings

    def setting(self, name: str) -> Reals | None:
        """Return the settings of a parameter that is varied or held, else None."""
        if name in self.parameters:
            return np.asarray(self.settings[:, self.parameters.index(name)])
        held = self.configuration.get(name)
        if isinstance(held, bool) or not isinstance(held, int | float):
            return None
        return np.full(len(self.settings), float(held))

    def fits(self, other: "Measured") -> bool:
        """Tell whether nothing that both hold fixed differs."""
        common = self.configuration.keys() & other.configuration.keys()
        return all(
            self.configuration[key] == other.configuration[key] for key in common
        )

    def depends_on(self, other: "Measured") -> list[str]:
        """Return the parameters at whose settings it has to be known.

        A parameter that the other one varies counts even where it was held here.
        """
        held = (n for n in other.parameters if n not in self.parameters)
        return [*self.parameters, *(n for n in held if self.setting(n) is not None)]

    def summarised(self, summary: Summary) -> Reals:
        """Return one value per setting, NaN where cores were shared.

        A rate is summarised as the time that it takes, which one adds up.
        """
        dimension = self.dimension
        is_rate = dimension is not None and dict(dimension.exponents).get(TIME, 0) < 0
        values = 1 / self.values if is_rate else self.values
        summarised = summarise(values, summary)
        summarised = 1 / summarised if is_rate else summarised
        return np.asarray(np.where(self.crowded, np.nan, summarised))

    def at(self, wanted: Mapping[str, Reals], summary: Summary) -> Reals:
        """Return its values at settings: measured where it was measured, else modelled.

        NaN where it was not, and no model tells.
        """
        names = list(wanted)
        measured = np.column_stack([self.column(name) for name in names])
        goal = np.column_stack([wanted[name] for name in names])
        values = self._modelled(wanted, len(goal))
        known = self.summarised(summary)
        for row, at in zip(measured, known, strict=True):
            if np.isfinite(at):
                values[(goal == row).all(axis=1)] = at
        return values * self.size

    def _modelled(self, wanted: Mapping[str, Reals], size: int) -> Reals:
        """Return what the model tells where what was held is as it was held."""
        values = np.full(size, np.nan)
        if self.model is None:
            return values
        is_same = np.full(size, fill_value=True)
        for name in (name for name in wanted if name not in self.parameters):
            is_same &= wanted[name] == self.column(name)[0]
        modelled = self.model({name: wanted[name] for name in self.parameters})
        values[is_same] = np.broadcast_to(modelled, size)[is_same]
        return values


def named(name: str, among: Sequence[Measured]) -> list[Measured]:
    """Return the series of a region, or of `region:metric`."""
    return [
        each for each in among if name in {each.region, f"{each.region}:{each.metric}"}
    ]


@dataclass(frozen=True, slots=True)
class ComposedPoint:
    """A measured value at a setting beside that of the composed model."""

    setting: tuple[float, ...]
    measured: float
    expected: float

    @property
    def quotient(self) -> float:
        """Measured/composed."""
        return self.measured / self.expected


@dataclass(frozen=True, slots=True)
class ComposedForecast:
    """Value of a composed model at settings that nobody measured, and the quotient.

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
