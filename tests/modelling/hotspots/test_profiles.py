from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from scalewatch import reasons
from scalewatch.errors import BadProfile
from scalewatch.modelling.hotspots import movements, profile_difference
from support.reference_tables import read

SECONDS = st.floats(min_value=1e-3, max_value=1e6)
PROFILES = st.dictionaries(st.sampled_from("abcdefgh"), SECONDS, min_size=1)


def printed_profiles():
    """Return the two profiles of the published table, without their totals."""
    table = read("hotspot_table1.json")["profiles"]
    return (
        {name: time for name, time in table[key].items() if name != "total_seconds"}
        for key in ("a", "b")
    )


def test_the_published_hotspot_table_is_reproduced():
    table = read("hotspot_table1.json")

    found = profile_difference(*printed_profiles())

    assert round(found.chi2, 3) == table["chi2"]
    assert round(found.p_value, 3) == table["p_value"]
    assert found.degrees_of_freedom == table["degrees_of_freedom"]
    assert round(found.difference, 3) == 0.557
    assert found.tau == 1


@given(st.dictionaries(st.sampled_from("abcdefgh"), SECONDS, min_size=2), st.data())
def test_chi_square_agrees_with_the_contingency_table(a, data):
    b = {name: data.draw(SECONDS) for name in a}
    table = [[profile[name] for name in a] for profile in (a, b)]

    found = profile_difference(a, b)

    expected = chi2_contingency(table, correction=False)
    assert found.chi2 == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9, abs=1e-9)


@given(PROFILES, st.floats(min_value=0.1, max_value=10))
def test_profiles_of_the_same_proportions_do_not_differ(profile, factor):
    longer = {name: factor * time for name, time in profile.items()}

    found = profile_difference(profile, longer)

    assert found.difference == pytest.approx(0, abs=1e-6)
    assert found.order_difference == 0


@given(PROFILES, PROFILES)
def test_differences_are_symmetric_and_between_zero_and_one(a, b):
    one, other = profile_difference(a, b), profile_difference(b, a)

    assert one.chi2 == pytest.approx(other.chi2)
    assert one.tau == other.tau
    assert 0 <= one.difference <= 1
    assert 0 <= one.order_difference <= 1


def test_a_reversed_order_is_as_far_away_as_can_be():
    found = profile_difference({"f": 3, "g": 2, "h": 1}, {"f": 1, "g": 2, "h": 3})

    assert found.tau == -1
    assert found.order_difference == 1


def test_a_function_that_appears_took_no_time_before():
    assert profile_difference({"f": 100}, {"f": 50, "g": 50}).difference > 0.99


@pytest.mark.parametrize("broken", [{}, {"f": 0.0}, {"f": -1.0}, {"f": float("nan")}])
def test_a_profile_without_sound_times_is_refused(broken):
    with pytest.raises(BadProfile, match="the second profile needs times"):
        profile_difference({"f": 1.0}, broken)


def test_kendall_tau_counts_the_pairs_that_changed_their_order():
    a = {"f": 5.0, "g": 4, "h": 3, "i": 2}
    b = {"f": 5.0, "g": 2, "h": 3, "i": 4}

    # Of the six pairs, (g, h), (g, i) and (h, i) are the other way round.
    found = profile_difference(a, b)

    assert found.tau == pytest.approx((3 - 3) / 6)
    assert found.order_difference == 0.5


def test_functions_that_tie_may_be_taken_in_either_order():
    assert profile_difference({"f": 1, "g": 1}, {"f": 2, "g": 1}).tau == 1


@given(
    st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any),
    st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any),
)
def test_tau_agrees_with_its_definition(a, b):
    used = [(x, y) for x, y in zip(a, b, strict=True) if x or y]
    pairs = list(combinations(used, 2))
    changed = sum((x - u) * (y - v) < 0 for (x, y), (u, v) in pairs)

    found = profile_difference(
        dict(zip("abcdef", a, strict=True)), dict(zip("abcdef", b, strict=True))
    )

    assert found.tau == pytest.approx(1 - 2 * changed / max(len(pairs), 1))


def test_many_functions_are_compared_in_blocks():
    times = np.random.default_rng(2).permutation(2000) + 1.0
    profile = {f"f{i}": float(time) for i, time in enumerate(times)}
    reverse = {name: 2001 - time for name, time in profile.items()}

    assert profile_difference(profile, reverse).tau == -1


def test_functions_of_one_profile_only_are_named():
    found = profile_difference({"f": 1, "g": 1, "h": 0}, {"f": 1, "h": 2, "i": 3})

    assert found.only_first == ("g",)
    assert found.only_second == ("h", "i")


def test_a_single_function_says_that_nothing_can_differ():
    found = profile_difference({"f": 1.0}, {"f": 9.0, "g": 0})

    assert found.p_value == 1
    assert found.degrees_of_freedom == 0
    assert found.reason == reasons.ONE_FUNCTION


def test_chi_square_counts_in_the_unit_of_time():
    seconds = profile_difference(*printed_profiles())
    minutes = profile_difference(*printed_profiles(), unit=60)

    assert minutes.chi2 == pytest.approx(seconds.chi2 / 60)


def test_what_explains_the_difference_comes_first():
    a, b = {"f": 50.0, "g": 40, "h": 10}, {"f": 50.0, "g": 10, "h": 40}

    first, second, last = movements(a, b)

    assert {first.function, second.function} == {"g", "h"}
    assert last.function == "f"
    assert last.share_before == last.share_after == 0.5
    total = profile_difference(a, b).chi2
    assert sum(each.chi2 for each in movements(a, b)) == pytest.approx(total)
