"""Series of two to four settings in words: factors instead of a growth."""

from collections.abc import Callable, Sequence
from typing import Final

from scalewatch.modelling.few_settings import Step, steps_of
from scalewatch.modelling.measurements.batch import NEEDED_SETTINGS
from scalewatch.services.analysis.questions import MeasuredSeries
from scalewatch.wire.directions import better_direction

MORE_THAN_ALL: Final = 1.1
"""Efficiency beyond which it is no weak scaling: the problem does not grow with p."""


def series_steps(
    series: MeasuredSeries, unit: str | None, better: str | None = None
) -> tuple[Step, ...]:
    """Return the factors between the settings of a series with too few for a growth.

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
    """Return a factor in words: `it falls to 0.5 times [0.4, 0.6] from p = 2 to 8`."""
    words = (
        f"it {direction(step)} to {step.factor:.3g} times [{step.low:.3g}, "
        f"{step.high:.3g}] from {parameter} = {step.start:.10g} to {step.end:.10g}"
    )
    return f"{words}{efficiency_words(step, '{:.0%}'.format)}"


def direction(step: Step) -> str:
    """Return the verb of a factor."""
    return "grows" if step.factor >= 1 else "falls"


def efficiency_words(step: Step, written: Callable[[float], str]) -> str:
    """Return the efficiency of a step as an apposition; nothing where it has none.

    Parameters
    ----------
    written
        How a share is written.
    """
    if step.strong_efficiency is None or step.weak_efficiency is None:
        return ""
    strong, weak = written(step.strong_efficiency), written(step.weak_efficiency)
    if strong == weak:
        return f", an efficiency of {strong}"
    if step.weak_efficiency > MORE_THAN_ALL:
        return f", an efficiency of {strong} as strong scaling"
    return f", an efficiency of {weak} as weak scaling, {strong} as strong"


def whole_step_words(steps: Sequence[Step], parameter: str) -> str:
    """Return the factor between the ends in words; nothing without one."""
    return step_words(steps[-1], parameter) if steps else ""
