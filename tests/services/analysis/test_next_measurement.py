import numpy as np
import pytest

from scalewatch.modelling import parse_growth
from scalewatch.services.analysis.questions import (
    STARTUP,
    SeriesQuestion,
    proposal_words,
    proposed,
)

SETTINGS = np.array([2.0, 4, 8, 16, 32])


def noisy(parameter: str = "p", expectation: str | None = "log p") -> SeriesQuestion:
    """Return a question whose verdict the measurements leave open."""
    scatter = np.random.default_rng(5).lognormal(0, 0.3, (5, 5))
    return SeriesQuestion(
        parameters=(parameter,),
        settings=SETTINGS[:, np.newaxis],
        values=(1 + SETTINGS**0.4)[:, np.newaxis] * scatter,
        expectation=parse_growth(expectation) if expectation else None,
        deviation_limit=None,
    )


def test_a_time_without_a_unit_is_in_seconds() -> None:
    assert proposed(noisy(), "time", None) == proposed(noisy(), "time", "s")


def test_what_is_no_time_costs_the_start_of_a_job() -> None:
    proposal = proposed(noisy(), "memory", "B")

    cores = proposal.at["p"]
    assert proposal.hours == pytest.approx(cores * STARTUP / 3600)


def test_settings_that_are_no_cores_and_no_expectation_have_no_proposal() -> None:
    assert proposed(noisy("n", "log n"), "time", "s") is None
    assert proposed(noisy(expectation=None), "time", "s") is None


def test_a_proposal_is_told_with_place_cost_and_use() -> None:
    proposal = proposed(noisy(), "time", "ms")

    words = proposal_words(proposal)
    assert f"{proposal.repetitions} repetitions at p = {proposal.at['p']:g} " in words
    assert f"{proposal.hours:.2g} core-hours" in words
    assert f"{proposal.settles:.0%}" in words
