"""What to measure next where a verdict is undecided."""

from collections.abc import Mapping
from typing import Final

from scalewatch.errors import ModellingError
from scalewatch.modelling import Cost, Proposal, next_measurement
from scalewatch.services.analysis.questions import SeriesQuestion
from scalewatch.services.caches.lru import Kept, key_of
from scalewatch.wire import UNITS

STARTUP: Final = 1.0
"""Seconds that a job takes before it measures, where nobody told its times."""

CORES: Final = frozenset({"p", "threads"})
"""Parameters that are numbers of cores, which a run costs."""


_PROPOSALS: Final = Kept[Proposal | None](512)


def proposed(
    question: SeriesQuestion, metric: str, unit: str | None
) -> Proposal | None:
    """Return the cheapest measurement that would settle a verdict, if any would.

    Parameters
    ----------
    question
        About a series of which something is expected.
    metric, unit
        What its values are: a time without a unit is in seconds.
    """
    (proposal,) = _PROPOSALS.answers(
        [key_of(question.key, metric, unit)],
        lambda _: [_proposed(question, metric, unit)],
    )
    return proposal


def _proposed(
    question: SeriesQuestion, metric: str, unit: str | None
) -> Proposal | None:
    if question.expectation is None or len(question.parameters) > 1:
        return None
    (parameter,) = question.parameters
    if parameter not in CORES:
        return None
    seconds = UNITS["time"].get(unit or "s", 0.0) if metric == "time" else 0.0
    try:
        return next_measurement(
            question.settings.reshape(-1),
            question.values,
            question.expectation,
            parameter=parameter,
            deviation_limit=question.deviation_limit,
            cost=Cost(STARTUP, seconds),
            noise=question.noise,
        )
    except ModellingError:
        return None


def place_words(at: Mapping[str, float]) -> str:
    """Return where to measure."""
    return " and ".join(f"{name} = {value:g}" for name, value in at.items())


def separating_words(at: Mapping[str, float]) -> str:
    """Return where a further count would tell the growths of exact counts apart."""
    return f"one more run at {place_words(at)} would tell the formulas apart"


def proposal_words(proposal: Proposal) -> str:
    """Return what to measure, what it costs and what it is good for."""
    return (
        f"{proposal.repetitions} repetitions at {place_words(proposal.at)} would "
        f"settle it with a probability of {proposal.settles:.0%}, for about "
        f"{proposal.core_hours:.2g} core-hours"
    )
