import pytest

from scalewatch.errors import BadProfile, RepeatedScale, TooFewProfiles
from scalewatch.modelling.false_discoveries import Correction
from scalewatch.modelling.hotspots import (
    Against,
    profile_difference,
    scan_profiles,
)

SCALES = tuple(range(2, 18))


def profile(p):
    """Return a profile in which work is badly distributed on 11 processes only."""
    waiting = 60.0 if p == 11 else 5.0 + 0.1 * p
    return {"flux": 100.0, "update": 40.0, "exchange": 10.0 + 0.2 * p, "wait": waiting}


PROFILES = [profile(p) for p in SCALES]


def test_the_scale_at_which_the_profile_jumps_is_found():
    scan = scan_profiles(SCALES, PROFILES)

    assert {(step.before, step.after) for step in scan.jumps} == {(10, 11), (11, 12)}
    assert len(scan) == 15


def test_a_scan_against_the_first_finds_it_once():
    scan = scan_profiles(SCALES, PROFILES, against=Against.FIRST)

    assert [(step.before, step.after) for step in scan.jumps] == [(2, 11)]


def test_the_jump_is_gone_once_the_bug_is_fixed():
    fixed = [profile(12 if p == 11 else p) for p in SCALES]

    assert not scan_profiles(SCALES, fixed).jumps


def test_a_step_is_the_difference_of_its_two_profiles():
    step = scan_profiles(SCALES, PROFILES, unit=1)[8]

    expected = profile_difference(profile(10), profile(11))
    assert step.difference.chi2 == pytest.approx(expected.chi2)
    assert step.difference.p_value == pytest.approx(expected.p_value)
    assert step.difference.tau == pytest.approx(expected.tau)


def test_many_comparisons_need_stronger_evidence():
    profiles = [{"f": 50.0, "g": 50}] * 20 + [{"f": 36.0, "g": 64}]
    settings = range(1, 22)

    last = scan_profiles(settings, profiles, unit=1)[-1]

    assert last.difference.p_value < 0.05
    assert last.corrected_p_value == pytest.approx(20 * last.difference.p_value)
    assert not last.is_significant


def test_the_correction_can_be_chosen():
    by = {
        each: scan_profiles(SCALES, PROFILES, correction=each, unit=1)[
            8
        ].corrected_p_value
        for each in Correction
    }

    assert by[Correction.BENJAMINI_HOCHBERG] < by[Correction.HOLM]


def test_scales_are_sorted_and_configurations_are_not():
    backwards = scan_profiles(SCALES[::-1], PROFILES[::-1])
    named = scan_profiles(["-O3", "-O0"], [{"f": 1.0}, {"f": 2.0}])

    assert backwards.settings == SCALES
    assert named.settings == ("-O3", "-O0")


def test_functions_that_appear_along_the_scan_are_named():
    scan = scan_profiles([1, 2], [{"f": 1.0, "old": 1}, {"f": 1.0, "new": 1}])

    assert scan[0].difference.only_first == ("old",)
    assert scan[0].difference.only_second == ("new",)


def test_one_region_cannot_jump():
    scan = scan_profiles([1, 2, 3], [{"f": 1.0}, {"f": 5.0}, {"f": 1.0}])

    assert not scan.jumps
    assert scan[0].difference.reason


def test_a_single_profile_is_refused():
    with pytest.raises(TooFewProfiles, match="2 needed, 1 given"):
        scan_profiles([1], [{"f": 1.0}])


@pytest.mark.parametrize(
    ("twice", "named"), [([2, 2], "2"), (["-O3", "-O3"], "-O3")], ids=str
)
def test_a_setting_that_occurs_twice_is_named(twice, named):
    with pytest.raises(RepeatedScale, match=f"the setting {named} occurs twice"):
        scan_profiles(twice, [{"f": 1.0}, {"f": 2.0}])


@pytest.mark.parametrize("broken", [{"f": 0.0}, {"f": -1.0}, {}], ids=str)
def test_the_profile_without_sound_times_is_named(broken):
    with pytest.raises(BadProfile, match="at 8, the profile needs times"):
        scan_profiles([4, 8], [{"f": 1.0}, broken])
