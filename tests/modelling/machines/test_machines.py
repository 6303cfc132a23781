import re

import numpy as np
import pytest

from scalewatch.errors import TooFewMachines, TooFewSizes
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.machines.machines import compare_machines
from scalewatch.services.machines.lines import machine_sentence

K = np.array([1e5, 2e5, 4e5, 8e5, 1.6e6, 3.2e6])


def machine(seconds, sizes=K, seed=1, noise=0.01):
    rng = np.random.default_rng(seed)
    scatter = rng.lognormal(0, noise, (sizes.size, 5))
    return sizes, seconds(sizes)[:, np.newaxis] * scatter


JUQUEEN = machine(lambda k: 0.2 + 3e-6 * k, seed=1)
DAINT = machine(lambda k: 1.4 + 1e-6 * k, seed=2)
SLOW = machine(lambda k: 4.0 + 9e-6 * k, seed=3)


def pair(one, other):
    (found,) = compare_machines({"juqueen": one, "daint": other})
    return found


def test_slopes_and_intercepts_are_compared():
    found = pair(JUQUEEN, DAINT)

    assert found.slope_difference.value == pytest.approx(2e-6, rel=0.1)
    assert found.intercept_difference.value == pytest.approx(-1.2, rel=0.15)
    assert found.slope_p_value < 0.001
    assert found.intercept_p_value < 0.01
    assert found.crossing.low < 6e5 < found.crossing.high
    assert found.growth_crossing == pytest.approx(6e5, rel=0.15)


def test_the_sentence_says_which_machine_is_faster_where():
    said = machine_sentence(pair(JUQUEEN, DAINT))

    assert said.startswith("daint is faster from n = ")
    assert "and juqueen below: something such as more processors per node" in said
    assert "s on juqueen" in said


def test_a_machine_that_is_faster_everywhere_is_named():
    said = machine_sentence(pair(JUQUEEN, SLOW))

    assert "juqueen is faster than daint at every n that both were measured at" in said


def test_machines_that_differ_by_chance_take_the_same_time():
    again = machine(lambda k: 0.2 + 3e-6 * k, seed=4)

    for other in (again, JUQUEEN):
        said = machine_sentence(pair(JUQUEEN, other))
        assert said.startswith("juqueen and daint take the same time, as far as")
        assert "faster" not in said


def test_a_level_is_a_difference_though_no_coefficient_is_sure():
    rough = machine(lambda k: 1.0 + 0 * k, seed=5, noise=0.2)
    level = machine(lambda k: 1.6 + 0 * k, seed=6, noise=0.2)

    assert "juqueen is faster than daint" in machine_sentence(pair(rough, level))


def test_a_crossing_beyond_the_measurements_says_so():
    small = machine(lambda k: 9.4 + 1e-6 * k, seed=2)

    said = machine_sentence(pair(JUQUEEN, small))

    assert "daint would overtake it at n = " in said
    assert "beyond the measurements" in said


def test_slopes_that_may_be_the_same_are_not_told_apart():
    found = pair(JUQUEEN, machine(lambda k: 0.2 + 3e-6 * k, seed=7))

    assert found.slope_p_value > 0.05
    assert "that may be the same" in machine_sentence(found)


def test_another_growth_that_fits_better_stands_beside_the_line():
    squared = machine(lambda k: 1 + 1e-11 * k**2, noise=0.002)

    found = pair(JUQUEEN, squared)

    assert found.first.is_line_enough
    assert not found.second.is_line_enough
    assert found.second.finding.growth == Growth.of("n", power=2)
    assert "On daint another growth fits better" in machine_sentence(found)


def test_machines_are_compared_by_the_growths_where_a_line_does_not_fit():
    level = machine(lambda k: 2 + 0 * k, noise=0.002)
    squared = machine(lambda k: 0.5 + 1e-11 * k**2, noise=0.002)
    always = machine(lambda k: 9 + 1e-11 * k**2, noise=0.002)

    crossing = pair(level, squared)

    assert not crossing.second.is_line_enough
    said = machine_sentence(crossing)
    at = float(
        re.match(r"juqueen is faster from n = ([\d,]+) on", said)[1].replace(",", "")
    )
    assert at == pytest.approx((1.5 / 1e-11) ** 0.5, rel=0.05)
    assert "and daint below, by the growths" in said
    assert machine_sentence(pair(level, always)).startswith(
        "juqueen is faster than daint at every n that both were measured at"
    )


def test_each_machine_is_compared_with_each():
    found = compare_machines({"juqueen": JUQUEEN, "daint": DAINT, "slow": SLOW})

    names = [(each.first.machine, each.second.machine) for each in found]
    assert names == [("juqueen", "daint"), ("juqueen", "slow"), ("daint", "slow")]
    alone = pair(JUQUEEN, DAINT)
    assert found[0].slope_p_value >= alone.slope_p_value


def test_machines_need_not_share_their_sizes():
    found = pair(JUQUEEN, machine(lambda k: 1.4 + 1e-6 * k, sizes=K[3:] * 100))

    assert found.overlap is None
    assert "daint is faster from" in machine_sentence(found)


def test_missing_times_and_an_unsorted_scan_change_nothing():
    sizes, times = JUQUEEN
    some = np.where(np.arange(5) < 3, times, np.nan)
    nothing = np.full((1, 5), np.nan)

    plain = pair((sizes, some), DAINT).first
    mixed = pair((np.append(9.0, sizes[::-1]), np.vstack([nothing, some[::-1]])), DAINT)

    assert mixed.first.sizes.tolist() == K.tolist()
    assert mixed.first.slope == plain.slope
    assert mixed.first.finding.growth == plain.finding.growth


def test_two_sizes_give_a_line_without_certainty():
    sizes, times = JUQUEEN

    found = pair((sizes[:2], times[:2]), DAINT)

    assert found.slope_p_value is None
    assert found.first.slope.low is None
    assert found.first.finding.reason
    assert "two sizes cannot tell" in machine_sentence(found)


def test_a_single_machine_is_refused():
    with pytest.raises(TooFewMachines, match="2 needed, juqueen measured"):
        compare_machines({"juqueen": JUQUEEN})


def test_a_machine_with_one_problem_size_is_refused():
    with pytest.raises(TooFewSizes, match="1 measured"):
        compare_machines({"juqueen": JUQUEEN, "daint": ([5.0], [[1.0, 2.0]])})
