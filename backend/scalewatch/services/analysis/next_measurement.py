"""Proposals: the next measurement where a verdict is undecided."""

from collections.abc import Mapping
from typing import Final

from scalewatch.errors import ModellingError
from scalewatch.modelling import Cost, Proposal, next_measurement
from scalewatch.services.analysis.questions import ANSWERS, SeriesQuestion
from scalewatch.services.caches import key_of
from scalewatch.wire import SECONDS, TIME

STARTUP: Final = 1.0
"""Seconds that a job takes before it measures, where its times are unknown."""

CORES: Final = frozenset({"p", "threads"})
"""Parameters that are numbers of cores, which a run costs."""


def proposed(
    question: SeriesQuestion, metric: str, unit: str | None
) -> Proposal | None:
    """Return the cheapest measurement that would settle a verdict, if any would.

    Parameters
    ----------
    question
        About a series of which something is expected.
    metric, unit
        Of its values: a time without a unit is in seconds.
    """
    proposal: Proposal | None
    (proposal,) = ANSWERS.answers(
        [key_of("proposal", question.key, metric, unit)],
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
    seconds = SECONDS.get(unit or "s", 0.0) if metric == TIME else 0.0
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
    """Return a setting in words."""
    return " and ".join(f"{name} = {value:g}" for name, value in at.items())


def separating_words(at: Mapping[str, float]) -> str:
    """Return, in words, the setting whose count would tell growths apart."""
    return f"one more run at {place_words(at)} would tell the formulas apart"


def proposal_words(proposal: Proposal) -> str:
    """Return a proposal in words: the measurement, its worth and its cost."""
    return (
        f"{proposal.repetitions} repetitions at {place_words(proposal.at)} would "
        f"settle it with a probability of {proposal.settles:.0%}, for about "
        f"{proposal.core_hours:.2g} core-hours"
    )
