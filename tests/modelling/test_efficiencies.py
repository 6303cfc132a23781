import numpy as np
import pytest

from scalewatch.errors import BadScale, UnknownChoice, WrongShape
from scalewatch.modelling import ScalingKind
from scalewatch.modelling.efficiencies import (
    NextRunKind,
    Quantity,
    guessed_kind,
    scaling_of,
)

STRONG, WEAK = ScalingKind.STRONG, ScalingKind.WEAK
NODES = [8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0]
CHROMA = [1037.0, 1052.0, 1077.0, 1137.0, 1178.0, 1327.0, 1535.0]
"""Weak scaling of single runs, as the study of proposals prints it."""


def column(values):
    return np.array(values)[:, np.newaxis]


def percent(row):
    low, value, high = row.efficiency.low, row.efficiency.value, row.efficiency.high
    return round(100 * value), round(50 * (high - low))


def test_weak_scaling_of_single_runs_is_that_of_the_study():
    scaling = scaling_of(NODES, column(CHROMA), WEAK)

    assert [percent(row) for row in scaling.rows[1:]] == [
        (99, 8),
        (96, 8),
        (91, 8),
        (88, 7),
        (78, 6),
        (68, 6),
    ]
    assert [round(row.speed_up, 2) for row in scaling.rows[:3]] == [1, 1.97, 3.85]
    seventy, fifty = scaling.largest
    assert (seventy.sure.size, seventy.fails.size) == (256, 512)
    assert seventy.sure.holds[0.7] == pytest.approx(0.97, abs=0.01)
    assert not fifty.is_reached
    assert scaling.is_assumed


def test_strong_scaling_is_relative_to_its_base_by_size_and_time():
    scaling = scaling_of([1, 2, 4], column([100.0, 52.0, 27.0]), STRONG)

    assert [row.speed_up for row in scaling.rows] == pytest.approx(
        [1, 100 / 52, 100 / 27]
    )
    assert [row.efficiency.value for row in scaling.rows] == pytest.approx(
        [1, 100 / 104, 100 / 108]
    )
    assert scaling.rows[1].per_doubling == pytest.approx(100 / 52)
    assert scaling.rows[2].serial_fraction == pytest.approx((0.27 - 0.25) / (1 - 0.25))


def test_amdahls_law_has_its_serial_fraction_at_every_size():
    p = 2.0 ** np.arange(8)

    scaling = scaling_of(p, column(3 + 97 / p), STRONG)

    fractions = [row.serial_fraction for row in scaling.rows[1:]]
    assert fractions == pytest.approx([0.03] * 7)


@pytest.mark.parametrize("kind", ScalingKind)
def test_rates_of_all_scale_alike_whether_the_problem_grows_or_not(kind):
    rates = column([10.0, 19.0, 36.0])

    scaling = scaling_of([1, 2, 4], rates, kind, quantity=Quantity.RATE)
    each = scaling_of(
        [1, 2, 4], rates / column([1, 2, 4]), kind, quantity=Quantity.RATE_EACH
    )

    for rows in (scaling.rows, each.rows):
        assert [row.efficiency.value for row in rows] == pytest.approx([1, 0.95, 0.9])


def test_sizes_below_the_base_are_shown_apart():
    scaling = scaling_of([1, 2, 4, 8], column([80.0, 50.0, 26.0, 14.0]), STRONG, base=2)

    assert scaling.below_base == {1: 80}
    assert scaling.rows[0].efficiency.value == 1
    assert scaling.rows[-1].efficiency.value == pytest.approx(50 / 14 / 4)


def test_repetitions_narrow_what_is_assumed_of_single_runs():
    draw = np.random.default_rng(3)
    runs = 100 / np.array([[1.0], [2.0], [4.0]]) * np.exp(draw.normal(0, 0.005, (3, 6)))

    once = scaling_of([1, 2, 4], runs[:, :1], STRONG)
    often = scaling_of([1, 2, 4], runs, STRONG)

    def width(scaling):
        return scaling.rows[-1].efficiency.high - scaling.rows[-1].efficiency.low

    assert width(often) < width(once) / 3
    assert not often.is_assumed


def test_next_runs_extend_repeat_or_narrow_the_gap():
    def next_of(sizes, efficiencies, runs=1):
        times = 1 / (np.array(sizes) * np.array(efficiencies))
        return scaling_of(sizes, np.repeat(column(times), runs, 1), STRONG).next_run

    extend = next_of([1, 2, 4], [1, 0.99, 0.97])
    between = next_of([1, 8, 64], [1, 0.97, 0.4])
    repeat = next_of([1, 2, 4], [1, 0.9, 0.735])

    assert (extend.kind, extend.size) == (NextRunKind.EXTEND, 8)
    assert between.kind is NextRunKind.BETWEEN
    assert 8 < between.size < 64
    assert 0.7 < between.efficiency < 0.97
    assert (repeat.kind, repeat.size) == (NextRunKind.REPEAT, 4)
    assert repeat.runs >= 1


def test_a_size_at_the_limit_is_decided_by_no_run():
    times = 1 / (np.array([1, 2, 4]) * np.array([1, 0.9, 0.702]))

    scaling = scaling_of([1, 2, 4], column(times), STRONG)

    assert scaling.next_run is None
    assert scaling.is_at_limit


def test_scaling_of_one_size_is_none_and_failed_runs_are_none_of_it():
    assert scaling_of([4], [[2.0]], STRONG) is None
    assert scaling_of([4, 8], [[2.0, 2.1], [np.nan, np.nan]], STRONG) is None
    some = scaling_of([4, 8], [[2.0, 2.1], [1.1, np.nan]], STRONG)
    assert [row.runs for row in some.rows] == [2, 1]


@pytest.mark.parametrize(
    ("sizes", "runs", "base", "error"),
    [
        ([1, 2], [[1.0], [0.0]], None, BadScale),
        ([0, 2], [[1.0], [1.0]], None, BadScale),
        ([1, 2], [[1.0], [1.0]], 4, UnknownChoice),
        ([1, 2], [[1.0]], None, WrongShape),
    ],
)
def test_bad_scans_are_refused(sizes, runs, base, error):
    with pytest.raises(error):
        scaling_of(sizes, runs, STRONG, base=base)


@pytest.mark.parametrize(
    ("values", "problem_sizes", "kind"),
    [
        ([100.0, 52.0, 27.0], None, STRONG),
        ([100.0, 104.0, 111.0], None, WEAK),
        ([100.0, 75.0, 57.0], None, None),
        ([100.0, 52.0, 27.0], [10, 20, 40], WEAK),
        ([100.0, 104.0, 111.0], [10, 10, 10], STRONG),
        ([100.0, 104.0, 111.0], [10, 10, 40], None),
    ],
)
def test_kind_of_a_scan_is_guessed_by_its_problem_and_its_slope(
    values, problem_sizes, kind
):
    assert guessed_kind([1, 2, 4], column(values), problem_sizes) is kind
