from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scalewatch.modelling import find_models
from scalewatch.modelling.arrays import Reals
from scalewatch.modelling.measurements.repetitions import unsteady

SERIES = 150
CURVES = Path(__file__).parents[4] / "shared/data/scaling/values.csv"
MOST_FALSE = 0.02

NOISES: dict[str, Callable[[np.random.Generator, tuple[int, ...]], Reals]] = {
    "normal": lambda rng, shape: 1 + 0.03 * rng.standard_normal(shape),
    "lognormal": lambda rng, shape: rng.lognormal(0, 0.3, shape),
    "exponential": lambda rng, shape: 1 + 0.1 * rng.exponential(size=shape),
    "outliers": lambda rng, shape: (
        1
        + 0.02 * rng.standard_normal(shape) ** 2
        + (rng.random(shape) < 0.05) * rng.pareto(1.5, shape)
    ),
    "heavy tails": lambda rng, shape: np.exp(0.05 * rng.standard_t(3, shape)),
    "coarse clock": lambda rng, shape: np.round(
        1 + 0.1 * rng.standard_normal(shape), 1
    ),
}


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("repetitions", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("points", [1, 3, 5, 8])
def test_ordinary_noise_is_neither_a_warm_up_nor_two_modes(
    noise: str, repetitions: int, points: int
) -> None:
    rng = np.random.default_rng([points, repetitions])

    values = NOISES[noise](rng, (SERIES, points, repetitions))

    # Outliers may come first: of a single setting nothing else tells.
    most = MOST_FALSE if points > 1 else 0.03
    assert len(unsteady(np.maximum(values, 1e-3))) <= most * SERIES


@pytest.mark.skipif(not CURVES.exists(), reason=f"{CURVES} is not here")
def test_measured_curves_are_hardly_ever_called_unsteady() -> None:
    curves: dict[str, dict[float, list[float]]] = {}
    for line in CURVES.read_text().splitlines()[1:]:
        name, setting, _, value = line.split(",")
        curves.setdefault(name, {}).setdefault(float(setting), []).append(float(value))
    repeated = [each for each in curves.values() if max(map(len, each.values())) > 1]

    flagged = 0
    for curve in repeated:
        values = np.full((1, len(curve), max(map(len, curve.values()))), np.nan)
        for row, at in enumerate(sorted(curve)):
            values[0, row, : len(curve[at])] = curve[at]
        flagged += bool(unsteady(values))

    assert len(repeated) >= 60
    assert flagged <= MOST_FALSE * len(repeated)


@pytest.mark.parametrize("repetitions", [2, 3, 5, 10])
@pytest.mark.parametrize("factor", [0.5, 1.2, 6.0])
def test_first_repetitions_that_are_off_are_a_warm_up(
    repetitions: int, factor: float
) -> None:
    values = 1 + 0.02 * np.random.default_rng(7).standard_normal((100, 6, repetitions))
    values[:, :, 0] *= factor

    warm_ups = [each.warm_up for each in unsteady(values).values()]

    assert len(warm_ups) >= 90
    for warm_up in warm_ups:
        assert warm_up is not None
        assert warm_up.repetitions == 1
        assert warm_up.factor == pytest.approx(factor, rel=0.1)


def test_warm_up_of_two_repetitions_is_counted_whole() -> None:
    values = 1 + 0.01 * np.random.default_rng(8).standard_normal((1, 6, 8))
    values[:, :, 0] *= 5
    values[:, :, 1] *= 2

    (pattern,) = unsteady(values).values()

    assert pattern.warm_up is not None
    assert pattern.warm_up.repetitions == 2
    assert pattern.modes is None


@pytest.mark.parametrize(("factor", "share"), [(1.5, 0.5), (2.0, 0.4), (3.0, 0.6)])
def test_two_levels_of_repetitions_are_two_modes(factor: float, share: float) -> None:
    rng = np.random.default_rng(9)
    values = 1 + 0.02 * rng.standard_normal((100, 6, 10))
    values *= np.where(rng.random(values.shape) < share, factor, 1.0)

    modes = [each.modes for each in unsteady(values).values() if each.modes]

    assert len(modes) >= 90
    assert np.median([each.factor for each in modes]) == pytest.approx(factor, rel=0.05)
    assert np.median([each.low_share for each in modes]) == pytest.approx(
        1 - share, abs=0.05
    )


def test_findings_of_all_kinds_tell_that_repetitions_are_unlike() -> None:
    values = 1 + 0.01 * np.random.default_rng(10).standard_normal((3, 6, 4))
    values[1, :, 0] *= 3
    values[2, :, 0] *= 3
    values[2, 4:] = np.nan

    steady, modelled, few = find_models(2.0 ** np.arange(6), values)

    assert not any(steady.unsteadiness)
    assert modelled.unsteadiness.warm_up is not None
    assert few.model is None
    assert few.unsteadiness.warm_up is not None


@pytest.mark.parametrize(
    "values",
    [
        np.zeros((2, 3, 4)),
        np.full((2, 3, 4), np.nan),
        -np.ones((1, 5, 5)),
        np.ones((1, 5, 1)),
        np.ones((0, 5, 3)),
        np.full((1, 2, 5), np.inf),
    ],
)
def test_values_without_logarithms_or_repetitions_tell_nothing(values: Reals) -> None:
    assert not unsteady(values)


def test_modes_at_both_ends_of_what_a_number_holds_are_told_without_an_overflow():
    modes = np.where(np.arange(8) % 2, 5e-324, 1.7e308)
    values = np.broadcast_to(modes, (1, 5, 8))

    with np.errstate(all="raise"):
        patterns = unsteady(values)

    assert patterns
    assert all(np.isfinite(each.modes.factor) for each in patterns.values())
