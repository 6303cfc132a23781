"""Compute composed models: numbers with units, at all settings at once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from scalewatch.errors import UnitsUnfit
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.compositions.formula import (
    Formula,
    Logarithm,
    Name,
    Node,
    Number,
    Operation,
    Power,
)
from scalewatch.modelling.compositions.units import NUMBER, Unit


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
                found = self.value(base)
                unit = found.unit and found.unit**exponent
                return Quantity(found.values ** float(exponent), unit)
            case Logarithm(argument, text):
                found = self.value(argument)
                if found.unit not in {None, NUMBER}:
                    told = f"{argument.text} is in {found.unit}"
                    raise UnitsUnfit(self.formula.text, told, f"{text} takes a number")
                return Quantity(np.log2(found.values), found.unit)
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
