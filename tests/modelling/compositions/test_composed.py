"""Measurements against composed models, on generated series of known truth."""

import numpy as np
import pytest

from scalewatch.errors import (
    CircularComposition,
    NameAmbiguous,
    NameUnknown,
    UnitsUnfit,
    ValueMissing,
)
from scalewatch.modelling import CONSTANT, Measured, Verdict, compose, parse_formula
from scalewatch.modelling.growths.model import Model, Term
from scalewatch.modelling.growths.parse import parse_growth

THREADS = np.array([1.0, 2, 4, 8, 16, 32])
POINTS = np.array([1e6, 2e6, 4e6, 8e6, 16e6])


def measured(region, settings, values, **fields):
    """Return a series with five repetitions that scatter by 1 %."""
    rng = np.random.default_rng(len(region))
    settings = np.asarray(settings, dtype=float)
    settings = settings.reshape(len(settings), -1)
    noise = rng.lognormal(0, 0.01, (len(settings), 5))
    defaults = {
        "region": region,
        "metric": "time",
        "unit": "s",
        "configuration": {},
        "parameters": ("threads",),
        "settings": settings,
        "values": np.asarray(values, dtype=float)[:, None] * noise,
        "crowded": np.zeros(len(settings), dtype=bool),
    }
    return Measured(**(defaults | fields))


def triad(threads=THREADS, **fields):
    rate = {"metric": "bandwidth", "unit": "B/s"}
    return measured("triad", threads, 1e10 * threads**0.5, **(rate | fields))


def parallel(**fields):
    return measured("parallel", THREADS, 1e-6 * THREADS, metric="overhead", **fields)


def time(n, threads):
    return 13 * 8 * n / (1e10 * threads**0.5) + 4 * 1e-6 * threads


GRID = [(n, t) for n in POINTS for t in THREADS]


def cg(factor=lambda _n, _t: 1.0, **fields):
    times = [time(n, t) * factor(n, t) for n, t in GRID]
    return measured("cg", GRID, times, parameters=("N", "threads"), **fields)


def composed(series, text="13*8*N/triad + 4*parallel", name="cg", **more):
    formulas = {name: text, **more}
    parsed = {each: parse_formula(formula) for each, formula in formulas.items()}
    return compose(name, parsed, series)


def test_true_model_has_a_constant_quotient():
    (found,) = composed([cg(), triad(), parallel()])

    assert found.quotients == pytest.approx(1, abs=0.05)
    assert found.largest_deviation < 0.05
    assert found.quotient.growth == CONSTANT
    assert found.quotient.verdict is Verdict.MATCH
    assert len(found.settings) == len(GRID)


def test_growth_that_the_model_does_not_know_is_a_mismatch():
    slower = cg(lambda _, t: t**0.5)

    (found,) = composed([slower, triad(), parallel()])

    assert found.quotient.growth == parse_growth("threads^(1/2)")
    assert found.quotient.verdict is Verdict.MISMATCH


def test_shared_cores_are_left_out_of_parts_and_of_the_series():
    crowded = THREADS > 8
    at_grid = np.array([t > 8 for _, t in GRID])
    broken = triad(crowded=crowded)

    (found,) = composed([cg(crowded=at_grid), broken, parallel()])

    assert len(found.settings) == (~at_grid).sum()
    assert set(found.left_out[:, 1]) == {16, 32}
    assert found.quotient.verdict is Verdict.MATCH


def test_parts_are_modelled_where_they_were_not_measured():
    model = Model(0.0, (Term(1e10, parse_growth("threads^(1/2)")),))
    few = THREADS[[0, 2, 4]]

    (found,) = composed([cg(), triad(few, model=model), parallel()])
    (short,) = composed([cg(), triad(few), parallel()])

    assert len(found.settings) == len(GRID)
    assert found.quotients == pytest.approx(1, abs=0.05)
    assert set(short.settings[:, 1]) == set(few)


def test_part_held_at_one_setting_is_known_there_alone():
    held = measured(
        "parallel",
        np.zeros((1, 0)),
        [1e-6],
        parameters=(),
        configuration={"threads": 1},
        model=Model(1e-6),
    )

    (found,) = composed([cg(), triad(), held])

    assert set(found.settings[:, 1]) == {1}


def test_units_of_parts_and_series_are_converted():
    fast = triad()
    in_gigabytes = measured(
        "triad", THREADS, fast.values.mean(axis=1) / 1e9, metric="rate", unit="GB/s"
    )
    in_ms = cg(lambda _n, _t: 1e3, unit="ms")

    (found,) = composed([in_ms, in_gigabytes, parallel()])

    assert found.quotients == pytest.approx(1, abs=0.05)
    assert found.expected[0] == pytest.approx(1e3 * time(*GRID[0]), rel=0.05)


def test_rates_are_averaged_as_the_time_that_they_take():
    rates = np.array([[1.0, 1.0, 4.0, 4.0]])
    series = Measured(
        region="triad",
        metric="bandwidth",
        unit="B/s",
        configuration={},
        parameters=("threads",),
        settings=np.array([[1.0]]),
        values=rates,
        crowded=np.zeros(1, dtype=bool),
    )

    assert series.summarised("mean") == pytest.approx(1.6)  # harmonic
    assert series.summarised("min") == pytest.approx(4)  # the least time


def test_formulas_use_each_other_and_parameters_that_are_held():
    held = cg(configuration={"bytes": 104})
    formulas = {"memory": "bytes*N/triad", "forks": "4*parallel"}

    (found,) = composed([held, triad(), parallel()], "memory + forks", **formulas)

    assert found.quotient.verdict is Verdict.MATCH


@pytest.mark.parametrize(
    "formulas",
    [
        {"cg": "2*cg"},
        {"cg": "memory + parallel", "memory": "2*forks", "forks": "cg - parallel"},
    ],
)
def test_circles_are_refused_with_the_way_round(formulas):
    text = formulas.pop("cg")

    with pytest.raises(CircularComposition, match=r"needs itself: cg = … .*cg$"):
        composed([cg(), triad(), parallel()], text, **formulas)


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("N/triadd", NameUnknown, r"'triadd'.*did you mean 'triad'"),
        ("N*triad", UnitsUnfit, r"it comes out in 1/s, but cg is in s"),
        ("N/triad + N", UnitsUnfit, r"N/triad is in s, but N is in a number"),
        ("N/triad + sort", ValueMissing, r"depends on p, which cg lacks"),
        ("0*parallel", ValueMissing, r"at no setting is it a positive number"),
        ("N/triad + other", ValueMissing, r"measured otherwise than cg:time"),
        ("N/triad + twice", NameAmbiguous, r"name the metric, as twice:time"),
        ("N/triad + both", NameAmbiguous, r"both:time \(a=1\) or both:time \(a=2\)"),
        ("N/triad + late", ValueMissing, r"was not measured where cg was"),
    ],
)
def test_what_cannot_be_computed_is_one_clear_line(text, error, words):
    more = [
        measured("sort", THREADS, THREADS, parameters=("p",)),
        measured("other", THREADS, THREADS, configuration={"compiler": "clang"}),
        measured("twice", THREADS, THREADS),
        measured("twice", THREADS, THREADS, metric="memory", unit="B"),
        measured("both", THREADS, THREADS, configuration={"a": 1}),
        measured("both", THREADS, THREADS, configuration={"a": 2}),
        measured("late", THREADS + 100, THREADS),
    ]
    series = [cg(configuration={"compiler": "gcc"}), triad(), parallel(), *more]

    with pytest.raises(error, match=words) as refused:
        composed(series, text)

    assert "\n" not in str(refused.value)
