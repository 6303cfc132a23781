from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from scalewatch.modelling import CONSTANT, find_models, mpi_study, ruler
from support.reference_tables import mafia_cells, mpi_cells

P = 2.0 ** np.arange(4, 14)
K = np.arange(3.0, 17.0)
both_rules = pytest.mark.parametrize("rule", ["paper", "evidence"])

NOISE = 0.01
"""Relative standard deviation, about what the quieter machines showed."""


def drawn(model, x, parameter, noise=NOISE):
    """Draw 20 repetitions from a published model."""
    rng = np.random.default_rng(seed=43)
    exact = model({parameter: x}) * np.ones(x.size)
    return exact[np.newaxis, :, np.newaxis] * (
        1 + noise * rng.standard_normal((1, x.size, 20))
    )


@both_rules
@pytest.mark.parametrize("cell", [*mpi_cells()], ids=str)
def test_data_drawn_from_the_mpi_models_lead_to_the_published_verdict(cell, rule):
    # What a constructor allocates is counted, not timed: a constant has no noise.
    noise = 0.0 if cell.model.growth == CONSTANT else NOISE

    (finding,) = find_models(
        P,
        drawn(cell.model, P, "p", noise),
        expectation=cell.expectation,
        deviation_limit=cell.deviation_limit,
        space=mpi_study(),
        rule=rule,
    )

    assert finding.verdict is cell.verdict


@both_rules
@pytest.mark.parametrize("cell", [*mafia_cells()], ids=str)
def test_data_drawn_from_the_mafia_models_lead_to_the_published_verdict(cell, rule):
    space = replace(
        ruler(cell.expectation), small_ticks=tuple(map(Fraction, range(6)))
    ).space

    (finding,) = find_models(
        K,
        drawn(cell.model, K, "k"),
        parameter="k",
        expectation=cell.expectation,
        space=space,
        rule=rule,
    )

    assert finding.verdict is cell.verdict
