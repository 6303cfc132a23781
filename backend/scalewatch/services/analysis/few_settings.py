"""Series of two to four settings in words: factors instead of a growth."""

from collections.abc import Sequence
from typing import Final

from scalewatch.modelling.few_settings.steps import Step, steps_of
from scalewatch.modelling.measurements.feasibility import NEEDED_SETTINGS
from scalewatch.services.analysis.questions import MeasuredSeries
from scalewatch.wire.directions import better_direction

MORE_THAN_ALL: Final = 1.1
"""Efficiency of weak scaling that no code has: the problem does not grow with p."""


def series_steps(
    series: MeasuredSeries, unit: str | None, better: str | None = None
) -> tuple[Step, ...]:
    """Return the factors between the settings of a series that has too few.

    None where it has enough, or where several parameters vary.

    Parameters
    ----------
    better
        The better direction; by the unit unless given.
    """
    if len(series.parameters) != 1 or len(series.settings) >= NEEDED_SETTINGS:
        return ()
    direction = better or better_direction(unit or "")
    return steps_of(
        series.settings.reshape(-1),
        series.values,
        series.parameters[0],
        is_cost=direction == "lower",
    )


def step_words(step: Step, parameter: str) -> str:
    """Return a factor in words: `0.52 times [0.5, 0.54] from p = 32 to 128`."""
    told = (
        f"{step.factor:.3g} times [{step.low:.3g}, {step.high:.3g}] from "
        f"{parameter} = {step.start:.10g} to {step.end:.10g}"
    )
    if step.strong_efficiency is None or step.weak_efficiency is None:
        return told
    strong, weak = f"{step.strong_efficiency:.0%}", f"{step.weak_efficiency:.0%}"
    if strong == weak:
        return f"{told}, efficiency {strong}"
    if step.weak_efficiency > MORE_THAN_ALL:
        return f"{told}, efficiency {strong} as strong scaling"
    return f"{told}, efficiency {weak} as weak scaling, {strong} as strong"


def whole_step_words(steps: Sequence[Step], parameter: str) -> str:
    """Return the factor between the ends in words; nothing without one."""
    return step_words(steps[-1], parameter) if steps else ""
