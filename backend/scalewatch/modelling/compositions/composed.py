"""Measurements against a model composed of others: their quotient and its verdict.

The composed model is the expectation: where it tells the truth, the quotient
measured/composed does not grow, whatever it is. So the quotient is modelled like any
series, and expected to be constant.

Formulas are evaluated at all settings at once, as numbers with units.

References
----------
F. Wolf et al., "Catwalk: A Quick Development Path for Performance Models",
Euro-Par 2014 workshops, section 4.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from scalewatch import reasons
from scalewatch.errors import (
    CircularComposition,
    NameAmbiguous,
    NameUnknown,
    UnitsUnfit,
    ValueMissing,
)
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.compositions.comparison import (
    Composed,
    ComposedForecast,
    Measured,
    named,
)
from scalewatch.modelling.compositions.formula import (
    NUMBER,
    Formula,
    Logarithm,
    Name,
    Node,
    Number,
    Operation,
    Power,
    Unit,
)
from scalewatch.modelling.growths.growth import CONSTANT
from scalewatch.modelling.measurements.assumptions import Summary
from scalewatch.modelling.search.finding import Finding
from scalewatch.modelling.search.search import find_models

Formulas = Mapping[str, Formula]
"""Composed models by the region that they are of, or by a name of their own."""


def compose(  # noqa: PLR0913, PLR0917 - how parts are summarised, and what to tell
    name: str,
    formulas: Formulas,
    all_series: Sequence[Measured],
    summary: Summary = "median",
    level: float = 0.9,
    targets: Sequence[Mapping[str, float]] = (),
) -> list[Composed]:
    """Return each series of a region beside its composed model.

    Parameters
    ----------
    targets
        Settings to tell both at; those that do not name all parameters are left out.

    Raises
    ------
    CompositionError
        If a name is unknown or ambiguous, models need each other, units do not fit, or
        a part has no value at any of the settings.
    """
    formula = formulas[name]
    refuse_circles(formulas)
    series = named(name, all_series)
    if ":" not in name and len({each.metric for each in series}) > 1:
        raise _ambiguous(formula, name, series)
    return [
        _composed(
            each, formula, _Parts(each, formulas, all_series, summary), level, targets
        )
        for each in series
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
class Quantity:
    """Values with their unit.

    Parameters
    ----------
    values
        In seconds and numbers, one per setting or one for all.
    unit
        None for a number as it is written, which takes the unit of what it is added to.
    """

    values: Reals
    unit: Unit | None


@dataclass(frozen=True, slots=True)
class _Parts:
    """Values of the names in a composed model, at the settings of a series."""

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
                reason = reasons.LacksParameter(parameter, self.target.region)
                raise ValueMissing(formula.text, name, str(reason))
            wanted[parameter] = at
        return Quantity(self._at(formula, part, wanted), part.dimension)

    def _at(
        self, formula: Formula, part: Measured, wanted: Mapping[str, Reals]
    ) -> Reals:
        values = part.at(wanted, self.summary)
        if np.isnan(values).all():
            reason = reasons.NeverMeasured(self.target.region)
            raise ValueMissing(formula.text, part.region, str(reason))
        return values

    def _part(self, formula: Formula, name: str) -> Measured:
        series = named(name, self.all_series)
        if not series:
            regions = {each.region for each in self.all_series} - {self.target.region}
            known = [*self.target.parameters, *sorted(regions)]
            raise NameUnknown(formula.text, name, known)
        fitting = [each for each in series if each.fits(self.target)]
        if not fitting:
            reason = reasons.MeasuredOtherwise(self.target.title)
            raise ValueMissing(formula.text, name, str(reason))
        if len(fitting) > 1:
            raise _ambiguous(formula, name, fitting)
        return fitting[0]


def _ambiguous(
    formula: Formula, name: str, series: Sequence[Measured]
) -> NameAmbiguous:
    titles, metrics = [each.title for each in series], [each.metric for each in series]
    return NameAmbiguous(formula.text, name, titles, metrics)


def _composed(
    target: Measured,
    formula: Formula,
    parts: _Parts,
    level: float,
    targets: Sequence[Mapping[str, float]],
) -> Composed:
    composed = parts.value(formula)
    dimension = target.dimension
    if (
        composed.unit is not None
        and dimension is not None
        and composed.unit != dimension
    ):
        raise UnitsUnfit(
            formula.text,
            f"it comes out in {composed.unit}",
            f"{target.region} is in {dimension}",
        )
    expected = np.broadcast_to(composed.values, len(target.settings)) / target.size
    is_known = np.isfinite(expected) & (expected > 0) & ~target.crowded
    if not is_known.any():
        raise ValueMissing(formula.text, target.region, reasons.NEVER_POSITIVE)
    settings, expected = target.settings[is_known], expected[is_known]
    quotients = target.values[is_known] / expected[:, None]
    wanted = [
        {name: float(at[name]) for name in target.parameters}
        for at in targets
        if at.keys() >= {*target.parameters}
    ]
    (quotient,) = find_models(
        settings,
        quotients[None],
        parameter=target.parameters,
        expectation=CONSTANT,
        level=level,
        targets=wanted,
    )
    return Composed(
        formula=formula,
        series=target,
        settings=settings,
        measured=target.summarised(parts.summary)[is_known],
        expected=expected,
        quotient=quotient,
        left_out=target.settings[~is_known],
        forecasts=tuple(_forecasts(formula, parts, wanted, quotient)),
    )


def _forecasts(
    formula: Formula,
    parts: _Parts,
    wanted: Sequence[Mapping[str, float]],
    quotient: Finding,
) -> Iterator[ComposedForecast]:
    """Yield both at settings, but for those at which a part has no value."""
    quotients = {tuple(each.at.values()): each for each in quotient.forecasts}
    for at in wanted:
        row = np.array([[*at.values()]])
        there = replace(
            parts.target,
            settings=row,
            values=np.full((1, 1), np.nan),
            crowded=np.zeros(1, np.bool_),
        )
        try:
            composed = replace(parts, target=there).value(formula)
        except ValueMissing:
            continue
        expected = float(np.broadcast_to(composed.values, 1)[0]) / there.size
        if np.isfinite(expected) and expected > 0:
            yield ComposedForecast(at, expected, quotients.get(tuple(row[0].tolist())))


Lookup = Callable[[str], Quantity]
"""Returns what a name stands for."""


def evaluate(formula: Formula, lookup: Lookup) -> Quantity:
    """Return what a formula comes to.

    Raises
    ------
    UnitsUnfit
        If it adds quantities of different units, or takes the logarithm of one.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return _Evaluation(formula, lookup).value(formula.root)


@dataclass(frozen=True, slots=True)
class _Evaluation:
    formula: Formula
    lookup: Lookup

    def value(self, node: Node) -> Quantity:
        match node:
            case Number(value):
                return Quantity(np.asarray(value), None)
            case Name(name):
                return self.lookup(name)
            case Power(base, exponent):
                quantity = self.value(base)
                unit = quantity.unit and quantity.unit**exponent
                return Quantity(quantity.values ** float(exponent), unit)
            case Logarithm(argument, text):
                quantity = self.value(argument)
                if quantity.unit not in {None, NUMBER}:
                    where = f"{argument.text} is in {quantity.unit}"
                    raise UnitsUnfit(self.formula.text, where, f"{text} takes a number")
                return Quantity(np.log2(quantity.values), quantity.unit)
            case Operation("+" | "-"):
                return self._sum(node)
            case Operation():
                return self._product(node)

    def _sum(self, node: Operation) -> Quantity:
        left, right = self.value(node.left), self.value(node.right)
        if left.unit != right.unit and None not in {left.unit, right.unit}:
            raise UnitsUnfit(
                self.formula.text,
                f"{node.left.text} is in {left.unit}",
                f"{node.right.text} is in {right.unit}",
            )
        values = left.values + right.values * _SIGNS[node.sign]
        return Quantity(values, right.unit if left.unit is None else left.unit)

    def _product(self, node: Operation) -> Quantity:
        left, right = self.value(node.left), self.value(node.right)
        if left.unit is None and right.unit is None:
            unit = None
        elif node.sign == "*":
            unit = (left.unit or NUMBER) * (right.unit or NUMBER)
        else:
            unit = (left.unit or NUMBER) / (right.unit or NUMBER)
        if node.sign == "*":
            return Quantity(left.values * right.values, unit)
        return Quantity(left.values / right.values, unit)


_SIGNS: Final = {"+": 1.0, "-": -1.0}
