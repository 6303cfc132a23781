"""Machines against each other: how the time of one code grows with the problem.

Each machine has a line of time over problem size. Slopes say what an increase of the
problem costs, intercepts what it costs whatever its size; where two lines cross, one
machine is faster for smaller problems and the other one for larger. As time is seldom
a straight line, the growth that fits best stands beside it.

References
----------
"Formulation of Scientific Codes", LA-UR-14-26577, section 4.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from scalewatch.errors import TooFewMachines
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.false_discoveries import Correction, corrected
from scalewatch.modelling.growths.growth import CONSTANT, Growth
from scalewatch.modelling.growths.model import first_above
from scalewatch.modelling.machines.lines import (
    Estimate,
    Line,
    coefficient_differences,
    crossing_of,
    fit_line,
)
from scalewatch.modelling.scaling_errors.errors import known_times
from scalewatch.modelling.search.finding import Finding
from scalewatch.modelling.search.search import find_models


@dataclass(frozen=True, slots=True)
class MachineLine:
    """How the time of a code grows with the problem size on one machine.

    Parameters
    ----------
    machine
        Its name.
    sizes, times
        Problem sizes, rising, and median times, shape (n,).
    line
        The straight line through them.
    intercept, slope
        Its coefficients with their intervals.
    finding
        The growth that fits best, or why there is none.
    line_error, growth_error
        Mean relative deviation of the times from the line, and from that growth.
    """

    machine: str
    sizes: Reals
    times: Reals
    line: Line
    intercept: Estimate
    slope: Estimate
    finding: Finding
    line_error: float
    growth_error: float | None

    @property
    def is_line_enough(self) -> bool:
        """Whether no other growth fits better than a line does."""
        growth = self.finding.told_growth
        if growth is None or self.growth_error is None:
            return True
        parameters = growth.parameters
        is_line = growth in {CONSTANT, *(Growth.of(p, power=1) for p in parameters)}
        return is_line or self.growth_error >= self.line_error


@dataclass(frozen=True, slots=True)
class MachinePair:
    """Two machines compared.

    Parameters
    ----------
    first, second
        Their lines.
    slope_difference, intercept_difference
        First less second, with intervals.
    slope_p_value, intercept_p_value
        Probability of a larger difference by chance, corrected by Holm's procedure for
        the number of pairs; None where two sizes leave nothing to tell it from.
    crossing
        Positive problem size at which the lines cross, if they do, with Fieller's
        interval; bounds are None where the slopes hardly differ.
    growth_crossing
        The same for the best-fitting growths, from the smallest size measured on;
        None if they do not cross, or are not known.
    """

    first: MachineLine
    second: MachineLine
    slope_difference: Estimate
    intercept_difference: Estimate
    slope_p_value: float | None
    intercept_p_value: float | None
    crossing: Estimate | None
    growth_crossing: float | None

    @property
    def overlap(self) -> tuple[float, float] | None:
        """The range of problem sizes that both were measured at."""
        low = max(self.first.sizes.min(), self.second.sizes.min())
        high = min(self.first.sizes.max(), self.second.sizes.max())
        return (float(low), float(high)) if low <= high else None


def machine_line(
    machine: str,
    sizes: ArrayLike,
    times: ArrayLike,
    *,
    parameter: str = "n",
    level: float = 0.95,
) -> MachineLine:
    """Return how the time grows with the problem size on one machine.

    Parameters
    ----------
    machine
        Its name.
    sizes, times
        Shapes (n,) and (n, R), NaN where missing.
    parameter
        What the problem size is called.
    level
        Probability that an interval holds.

    Raises
    ------
    TooFewSizes
        If there are fewer than two.
    """
    k, repetitions = np.asarray(sizes, dtype=np.float64), known_times(times)
    is_there = ~np.isnan(repetitions).all(axis=1)
    order = np.argsort(k[is_there], kind="stable")
    k, repetitions = k[is_there][order], repetitions[is_there][order]
    medians = np.nanmedian(repetitions, axis=1) if k.size else k
    line = fit_line(k, medians)
    intercept, slope = line.estimates(level)
    finding = find_models(k, repetitions[np.newaxis], parameter=parameter)[0]
    model = finding.model
    return MachineLine(
        machine=machine,
        sizes=k,
        times=medians,
        line=line,
        intercept=intercept,
        slope=slope,
        finding=finding,
        line_error=_deviation(medians, line(k)),
        growth_error=None
        if model is None
        else _deviation(medians, model({parameter: k})),
    )


def _deviation(times: Reals, predicted: Reals) -> float:
    return float(np.mean(np.abs(predicted - times) / times))


def compare_lines(
    lines: Sequence[MachineLine], *, parameter: str = "n", level: float = 0.95
) -> tuple[MachinePair, ...]:
    """Compare the lines of two or more machines, each with each.

    Parameters
    ----------
    lines
        One per machine.
    parameter
        What the problem size is called.
    level
        Probability that an interval holds.

    Raises
    ------
    TooFewMachines
        If there is only one.
    """
    if len(lines) < 2:
        raise TooFewMachines([line.machine for line in lines])
    pairs = list(combinations(lines, 2))
    tests = [
        coefficient_differences(machine.line, other.line, level)
        for machine, other in pairs
    ]
    p_values = np.array(
        [[slope.p_value, intercept.p_value] for intercept, slope in tests]
    )
    adjusted = np.stack([_adjusted(column) for column in p_values.T], axis=1)
    return tuple(
        MachinePair(
            first=machine,
            second=other,
            slope_difference=slope.estimate,
            intercept_difference=intercept.estimate,
            slope_p_value=_number(p[0]),
            intercept_p_value=_number(p[1]),
            crossing=crossing_of(machine.line, other.line, level),
            growth_crossing=_growth_crossing(machine, other, parameter),
        )
        for (machine, other), (intercept, slope), p in zip(
            pairs, tests, adjusted, strict=True
        )
    )


def _adjusted(p_values: Reals) -> Reals:
    adjusted = np.full(p_values.shape, np.nan)
    is_known = ~np.isnan(p_values)
    adjusted[is_known] = corrected(p_values[is_known], Correction.HOLM)
    return adjusted


def _growth_crossing(
    machine: MachineLine, other: MachineLine, parameter: str
) -> float | None:
    """Return the size from which the machine that is faster at first no longer is."""
    faster, slower = machine.finding.model, other.finding.model
    if faster is None or slower is None:
        return None
    start = float(max(machine.sizes.min(), other.sizes.min()))
    if faster({parameter: start}) > slower({parameter: start}):
        faster, slower = slower, faster
    return first_above(faster, slower, parameter, start=start)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
