"""What to measure next where a verdict is undecided."""

from collections.abc import Mapping
from typing import Final

from scalewatch.errors import ModellingError
from scalewatch.modelling import Cost, Proposal, next_measurement
from scalewatch.services.analysis.questions import Asked
from scalewatch.wire import UNITS

STARTUP: Final = 1.0
"""Seconds that a job takes before it measures, where nobody told its times."""

CORES: Final = frozenset({"p", "threads"})
"""Parameters that are numbers of cores, which a run costs."""


def proposed(asked: Asked, metric: str, unit: str | None) -> Proposal | None:
    """Return the cheapest measurement that would settle a verdict, if any would.

    Parameters
    ----------
    asked
        A series, and what is expected of it.
    metric, unit
        What its values are: a time without a unit is in seconds.
    """
    if asked.expectation is None or len(asked.parameters) > 1:
        return None
    (parameter,) = asked.parameters
    if parameter not in CORES:
        return None
    seconds = UNITS["time"].get(unit or "s", 0.0) if metric == "time" else 0.0
    try:
        return next_measurement(
            asked.settings.reshape(-1),
            asked.values,
            asked.expectation,
            parameter=parameter,
            deviation_limit=asked.deviation_limit,
            cost=Cost(STARTUP, seconds),
            noise=asked.noise,
        )
    except ModellingError:
        return None


def place_words(at: Mapping[str, float]) -> str:
    """Return where to measure."""
    return " and ".join(f"{name} = {value:g}" for name, value in at.items())


def proposal_words(proposal: Proposal) -> str:
    """Return what to measure, what it costs and what it is good for."""
    return (
        f"{proposal.repetitions} repetitions at {place_words(proposal.at)} would "
        f"settle it with a probability of {proposal.settles:.0%}, for about "
        f"{proposal.core_hours:.2g} core-hours"
    )
