import re

import numpy as np
import pytest

from scalewatch.errors import TooFewMachines, TooFewSizes
from scalewatch.modelling.growths.growth import Growth
from scalewatch.modelling.machines.machines import compare_lines, machine_line
from scalewatch.services.machines.lines import machine_sentence

K = np.array([1e5, 2e5, 4e5, 8e5, 1.6e6, 3.2e6])


def machine(seconds, sizes=K, seed=1, noise=0.01):
    rng = np.random.default_rng(seed)
    scatter = rng.lognormal(0, noise, (sizes.size, 5))
    return sizes, seconds(sizes)[:, np.newaxis] * scatter


JUQUEEN = machine(lambda k: 0.2 + 3e-6 * k, seed=1)
DAINT = machine(lambda k: 1.4 + 1e-6 * k, seed=2)
SLOW = machine(lambda k: 4.0 + 9e-6 * k, seed=3)


def compared(**measured):
    return compare_lines([machine_line(name, *each) for name, each in measured.items()])


def pair(one, other):
    (found,) = compared(juqueen=one, daint=other)
    return found


LEVEL = machine(lambda k: 2 + 0 * k, noise=0.002)
SQUARED = machine(lambda k: 1 + 1e-11 * k**2, noise=0.002)
FROM_BELOW = machine(lambda k: 0.5 + 1e-11 * k**2, noise=0.002)
ALWAYS = machine(lambda k: 9 + 1e-11 * k**2, noise=0.002)
EVERYWHERE = "juqueen is faster than daint at every n that both were measured at"
SAME = "juqueen and daint take the same time, as far as"

SENTENCES = {
    "crossing": (JUQUEEN, DAINT, "daint is faster from n = "),
    "other machine below": (
        *(JUQUEEN, DAINT),
        "and juqueen below: something such as more processors per node",
    ),
    "time at the crossing": (JUQUEEN, DAINT, "s on juqueen"),
    "everywhere": (JUQUEEN, SLOW, EVERYWHERE),
    "by chance": (JUQUEEN, machine(lambda k: 0.2 + 3e-6 * k, seed=4), SAME),
    "itself": (JUQUEEN, JUQUEEN, SAME),
    "a level though no coefficient is sure": (
        machine(lambda k: 1.0 + 0 * k, seed=5, noise=0.2),
        machine(lambda k: 1.6 + 0 * k, seed=6, noise=0.2),
        "juqueen is faster than daint",
    ),
    "crossing beyond": (
        JUQUEEN,
        machine(lambda k: 9.4 + 1e-6 * k, seed=2),
        "daint would overtake it at n = ",
    ),
    "words for beyond": (
        JUQUEEN,
        machine(lambda k: 9.4 + 1e-6 * k, seed=2),
        "beyond the measurements",
    ),
    "slopes alike": (
        JUQUEEN,
        machine(lambda k: 0.2 + 3e-6 * k, seed=7),
        "that may be the same",
    ),
    "better growth": (JUQUEEN, SQUARED, "On daint another growth fits better"),
    "by growths": (LEVEL, FROM_BELOW, "and daint below, by the growths"),
    "everywhere by growths": (LEVEL, ALWAYS, EVERYWHERE),
    "other sizes": (
        JUQUEEN,
        machine(lambda k: 1.4 + 1e-6 * k, sizes=K[3:] * 100),
        "daint is faster from",
    ),
    "two sizes": ((K[:2], JUQUEEN[1][:2]), DAINT, "two sizes cannot show"),
}


@pytest.mark.parametrize(
    ("one", "other", "words"), SENTENCES.values(), ids=SENTENCES.keys()
)
def test_sentence_says_which_machine_is_faster_where(one, other, words):
    assert words in machine_sentence(pair(one, other))


def test_machines_that_differ_by_chance_are_not_told_apart():
    again = machine(lambda k: 0.2 + 3e-6 * k, seed=4)

    for other in (again, JUQUEEN):
        assert "faster" not in machine_sentence(pair(JUQUEEN, other))


def test_slopes_and_intercepts_are_compared():
    found = pair(JUQUEEN, DAINT)

    assert found.slope_difference.value == pytest.approx(2e-6, rel=0.1)
    assert found.intercept_difference.value == pytest.approx(-1.2, rel=0.15)
    assert found.slope_p_value < 0.001
    assert found.intercept_p_value < 0.01
    assert found.crossing.low < 6e5 < found.crossing.high
    assert found.growth_crossing == pytest.approx(6e5, rel=0.15)


def test_slopes_that_may_be_the_same_are_not_told_apart():
    found = pair(JUQUEEN, machine(lambda k: 0.2 + 3e-6 * k, seed=7))

    assert found.slope_p_value > 0.05


def test_another_growth_that_fits_better_stands_beside_the_line():
    found = pair(JUQUEEN, SQUARED)

    assert found.first.is_line_enough
    assert not found.second.is_line_enough
    assert found.second.finding.growth == Growth.of("n", power=2)


def test_machines_are_compared_by_the_growths_where_a_line_does_not_fit():
    crossing = pair(LEVEL, FROM_BELOW)

    assert not crossing.second.is_line_enough
    said = machine_sentence(crossing)
    at = float(
        re.match(r"juqueen is faster from n = ([\d,]+) on", said)[1].replace(",", "")
    )
    assert at == pytest.approx((1.5 / 1e-11) ** 0.5, rel=0.05)


def test_each_machine_is_compared_with_each():
    found = compared(juqueen=JUQUEEN, daint=DAINT, slow=SLOW)

    names = [(each.first.machine, each.second.machine) for each in found]
    assert names == [("juqueen", "daint"), ("juqueen", "slow"), ("daint", "slow")]
    alone = pair(JUQUEEN, DAINT)
    assert found[0].slope_p_value >= alone.slope_p_value


def test_machines_need_not_share_their_sizes():
    found = pair(JUQUEEN, machine(lambda k: 1.4 + 1e-6 * k, sizes=K[3:] * 100))

    assert found.overlap is None


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


def test_a_single_machine_is_refused():
    with pytest.raises(TooFewMachines, match="2 needed, juqueen measured"):
        compared(juqueen=JUQUEEN)


def test_a_machine_with_one_problem_size_is_refused():
    with pytest.raises(TooFewSizes, match="1 measured"):
        compared(juqueen=JUQUEEN, daint=([5.0], [[1.0, 2.0]]))
