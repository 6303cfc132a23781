import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency

from reference_tables import read
from scalewatch.errors import BadProfile
from scalewatch.modelling.hotspots import profile_difference

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
