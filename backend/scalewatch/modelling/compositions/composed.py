"""Measurements against a model composed of others: their quotient and its verdict.

The composed model is the expectation: where it tells the truth, the quotient
measured/composed does not grow, whatever it is. So the quotient is modelled like any
series, and expected to be constant.

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops, section 4.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from scalewatch.errors import (
    CircularComposition,
    NameAmbiguous,
    NameUnknown,
    UnitsUnfit,
    ValueMissing,
)
from scalewatch.modelling.arrays.types import Reals
from scalewatch.modelling.compositions.evaluation import Quantity, evaluate
from scalewatch.modelling.compositions.formula import Formula
from scalewatch.modelling.compositions.series import Measured, named
from scalewatch.modelling.compositions.units import NUMBER
from scalewatch.modelling.growths.growth import CONSTANT
from scalewatch.modelling.measurements.summary import Summary
from scalewatch.modelling.search.finding import Finding
from scalewatch.modelling.search.search import find_models

Formulas = Mapping[str, Formula]
"""Composed models by the region that they are of, or by a name of their own."""


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
    """

    formula: Formula
    series: Measured
    settings: Reals
    measured: Reals
    expected: Reals
    quotient: Finding
    left_out: Reals

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


def compose(
    name: str,
    formulas: Formulas,
    all_series: Sequence[Measured],
    summary: Summary = "median",
    level: float = 0.9,
) -> list[Composed]:
    """Return each series of a region beside its composed model.

    Raises
    ------
    CompositionError
        If a name is unknown or ambiguous, models need each other, units do not fit, or
        a part has no value at any of the settings.
    """
    formula = formulas[name]
    refuse_circles(formulas)
    targets = named(name, all_series)
    if ":" not in name and len({each.metric for each in targets}) > 1:
        raise _ambiguous(formula, name, targets)
    return [
        _composed(target, formula, _Parts(target, formulas, all_series, summary), level)
        for target in targets
    ]


def refuse_circles(formulas: Formulas) -> None:
    """Refuse models that need themselves.

    Raises
    ------
    CircularComposition
        If there are such; it names the way round.
    """
    for name in formulas:
        _follow((name,), formulas)


def _follow(way: tuple[str, ...], formulas: Formulas) -> None:
    for name in formulas[way[-1]].names:
        if name in way:
            raise CircularComposition((*way[way.index(name) :], name))
        if name in formulas:
            _follow((*way, name), formulas)


@dataclass(frozen=True, slots=True)
class _Parts:
    """What the names in a composed model stand for, at the settings of a series."""

    target: Measured
    formulas: Formulas
    all_series: Sequence[Measured]
    summary: Summary

    def value(self, formula: Formula) -> Quantity:
        """Return what a formula comes to."""
        return evaluate(formula, lambda name: self._named(formula, name))

    def _named(self, formula: Formula, name: str) -> Quantity:
        if (settings := self.target.setting(name)) is not None:
            return Quantity(settings, NUMBER)
        if (inner := self.formulas.get(name)) is not None:
            return self.value(inner)
        part = self._part(formula, name)
        wanted = {}
        for parameter in part.depends_on(self.target):
            at = self.target.setting(parameter)
            if at is None:
                reason = f"it depends on {parameter}, which {self.target.region} lacks"
                raise ValueMissing(formula.text, name, reason)
            wanted[parameter] = at
        return Quantity(self._at(formula, part, wanted), part.dimension)

    def _at(
        self, formula: Formula, part: Measured, wanted: Mapping[str, Reals]
    ) -> Reals:
        values = part.at(wanted, self.summary)
        if np.isnan(values).all():
            reason = (
                "it has no model, and was not measured where "
                f"{self.target.region} was, without sharing cores"
            )
            raise ValueMissing(formula.text, part.region, reason)
        return values

    def _part(self, formula: Formula, name: str) -> Measured:
        series = named(name, self.all_series)
        if not series:
            regions = {each.region for each in self.all_series} - {self.target.region}
            known = [*self.target.parameters, *sorted(regions)]
            raise NameUnknown(formula.text, name, known)
        fitting = [each for each in series if each.fits(self.target)]
        if not fitting:
            reason = f"it was measured otherwise than {self.target.title}"
            raise ValueMissing(formula.text, name, reason)
        if len(fitting) > 1:
            raise _ambiguous(formula, name, fitting)
        return fitting[0]


def _ambiguous(
    formula: Formula, name: str, series: Sequence[Measured]
) -> NameAmbiguous:
    titles, metrics = [each.title for each in series], [each.metric for each in series]
    return NameAmbiguous(formula.text, name, titles, metrics)


def _composed(
    target: Measured, formula: Formula, parts: _Parts, level: float
) -> Composed:
    found = parts.value(formula)
    dimension = target.dimension
    if found.unit is not None and dimension is not None and found.unit != dimension:
        told = f"it comes out in {found.unit}"
        raise UnitsUnfit(formula.text, told, f"{target.region} is in {dimension}")
    expected = np.broadcast_to(found.values, len(target.settings)) / target.size
    is_known = np.isfinite(expected) & (expected > 0) & ~target.crowded
    if not is_known.any():
        reason = "at no setting is it a positive number without shared cores"
        raise ValueMissing(formula.text, target.region, reason)
    settings, expected = target.settings[is_known], expected[is_known]
    quotients = target.values[is_known] / expected[:, None]
    (quotient,) = find_models(
        settings,
        quotients[None],
        parameter=target.parameters,
        expectation=CONSTANT,
        level=level,
    )
    return Composed(
        formula=formula,
        series=target,
        settings=settings,
        measured=target.summarised(parts.summary)[is_known],
        expected=expected,
        quotient=quotient,
        left_out=target.settings[~is_known],
    )
