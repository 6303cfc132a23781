import numpy as np
import pytest

from scalewatch import reasons
from scalewatch.errors import TooFewSettings, WrongShape
from scalewatch.modelling import CONSTANT, mpi_study, parse_growth
from scalewatch.modelling.versions.compare import (
    Comparison,
    Incomparable,
    VersionChange,
    compare_versions,
)

P = np.array([4.0, 8, 16, 32, 64, 128])
SERIES = 100
LOG = parse_growth("log p")
LINEAR = parse_growth("p")


def curve(constant, share, growth="log p"):
    """Return constant + share · growth, the growth divided by its last value."""
    values = parse_growth(growth)(p=P)
    return constant + share * values / values[-1]


def measured(exact, runs, seed):
    """Draw five repetitions in each of some runs, shape (SERIES, 6, 5 · runs).

    Repetitions scatter by 5 %, one in twenty is an outlier, and what a job shares
    scatters by 2 %.
    """
    rng = np.random.default_rng(seed)
    shape = (SERIES, P.size, runs, 5)
    noise = np.exp(0.05 * rng.standard_normal(shape))
    noise *= np.where(rng.random(shape) < 0.05, rng.uniform(1.5, 3, shape), 1)
    noise *= np.exp(0.02 * rng.standard_normal((*shape[:3], 1)))
    return exact[:, np.newaxis] * noise.reshape(SERIES, P.size, -1)


def share_of(change, comparisons):
    """Return the share of series for which a change is likelier than not."""
    return np.mean([each.probability[change] > 0.5 for each in comparisons])


def test_a_version_that_changes_nothing_is_said_to_change_nothing():
    same = curve(1, 1)

    found = compare_versions(P, measured(same, 60, seed=1), measured(same, 3, seed=2))

    assert share_of(VersionChange.NONE, found) >= 0.97


def test_a_visible_change_of_growth_is_recognised_after_three_runs():
    before, after = curve(1, 1, "log p"), curve(1, 1, "p")

    found = compare_versions(
        P, measured(before, 60, seed=3), measured(after, 3, seed=4)
    )

    assert share_of(VersionChange.GROWTH, found) >= 0.99
    assert np.mean([each.growth_before == LOG for each in found]) >= 0.95
    assert all(each.growth_after > LOG for each in found)
    assert all(each.faster_probability > 0.99 for each in found)


@pytest.mark.parametrize("factor", [1.1, 1.3, 0.8])
def test_a_constant_factor_is_no_change_of_growth(factor):
    before = curve(1, 1)

    found = compare_versions(
        P, measured(before, 60, seed=5), measured(factor * before, 3, seed=6)
    )

    assert share_of(VersionChange.LEVEL, found) >= 0.95
    assert share_of(VersionChange.GROWTH, found) <= 0.03
    assert np.median([each.factor for each in found]) == pytest.approx(factor, rel=0.01)


def test_a_growing_term_that_weighs_more_is_no_change_of_growth():
    found = compare_versions(
        P, measured(curve(1, 1), 60, seed=7), measured(curve(1, 2), 5, seed=8)
    )

    assert share_of(VersionChange.COEFFICIENT, found) >= 0.7
    assert share_of(VersionChange.GROWTH, found) <= 0.03


def test_the_interval_of_the_factor_holds_as_often_as_it_says():
    before = curve(1, 1)

    found = compare_versions(
        P, measured(before, 20, seed=9), measured(1.1 * before, 2, seed=10), level=0.9
    )

    assert 0.82 <= np.mean([each.low <= 1.1 <= each.high for each in found]) <= 0.98


def test_constants_are_only_compared_by_level():
    found = compare_versions(
        P,
        measured(np.full(6, 1.0), 20, seed=11),
        measured(np.full(6, 1.2), 3, seed=12),
    )

    assert share_of(VersionChange.LEVEL, found) >= 0.9
    assert np.mean([each.growth_after == CONSTANT for each in found]) >= 0.9


def test_versions_in_reverse_have_the_inverse_factor_and_tilt():
    before = measured(curve(1, 1), 5, seed=13)
    after = measured(curve(1, 1, "p^(1/2)"), 5, seed=14)

    forward = compare_versions(P, before, after, space=mpi_study())
    backward = compare_versions(P, after, before, space=mpi_study())

    for one, other in zip(forward, backward, strict=True):
        assert one.factor * other.factor == pytest.approx(1)
        assert one.tilt == pytest.approx(-other.tilt)
        assert one.probability == pytest.approx(other.probability, rel=0.05, abs=0.01)


def test_a_batch_gives_what_its_series_give_one_by_one():
    before = measured(curve(1, 1), 3, seed=15)[:5]
    after = measured(curve(1, 1.2), 3, seed=16)[:5]

    together = compare_versions(P, before, after)

    alone = [
        compare_versions(P, old[np.newaxis], new[np.newaxis])[0]
        for old, new in zip(before, after, strict=True)
    ]
    assert list(together) == alone


def test_a_change_is_named_only_where_it_is_likely_enough():
    likely = {
        VersionChange.NONE: 0.05,
        VersionChange.LEVEL: 0.1,
        VersionChange.COEFFICIENT: 0.1,
        VersionChange.GROWTH: 0.75,
    }
    comparison = Comparison(likely, LOG, LOG, 1.0, 0.9, 1.1, 0.0, 0.5)

    assert comparison.change(level=0.9) is None
    assert comparison.change(level=0.7) is VersionChange.GROWTH


def test_settings_that_one_version_lacks_do_not_count():
    before, after = measured(curve(1, 1), 2, seed=17), measured(curve(1, 1), 2, seed=18)
    changed = before.copy()
    changed[:, 2] = 1e3
    after[:, 2] = np.nan

    assert compare_versions(P, before, after) == compare_versions(P, changed, after)


def test_what_cannot_be_compared_is_said_in_words_and_the_others_go_on():
    before, after = measured(curve(1, 1), 1, seed=19), measured(curve(1, 1), 1, seed=20)
    before[0, :-1] = before[0, -1, 1:] = np.nan  # one value
    after[1, 3, 0] = 0.0
    after[2, 3, 0] = np.inf

    found = compare_versions(P, before, after)

    assert found[:3] == (
        Incomparable(str(reasons.FewInBoth(TooFewSettings(1, 2)))),
        Incomparable(reasons.NO_LOGARITHM),
        Incomparable(reasons.INFINITE),
    )
    assert all(isinstance(each, Comparison) for each in found[3:])


def test_one_setting_that_both_versions_repeated_has_a_factor():
    """A truth of 1.3, and none, at one setting; what a job shares scatters by 2 %."""
    before, after = measured(curve(1, 1), 1, seed=21), measured(curve(1, 1), 1, seed=22)

    for factor in (1.0, 1.3):
        found = compare_versions(P[:1], before[:, :1], factor * after[:, :1])

        sure = [each.low > 1.05 or each.high < 1 / 1.05 for each in found]
        assert sum(sure) == (0 if factor == 1 else pytest.approx(SERIES, abs=10))
        assert np.median([each.factor for each in found]) == pytest.approx(
            factor, rel=0.02
        )
        assert {each.growth_after for each in found} == {None}


def test_settings_without_a_logarithm_are_said_in_words():
    (found,) = compare_versions(np.arange(6.0), np.ones((1, 6, 1)), np.ones((1, 6, 1)))

    assert isinstance(found, Incomparable)
    assert "not defined at p = 0" in found.reason


def test_both_versions_need_the_same_series():
    with pytest.raises(WrongShape, match="as many series as the earlier version, 2"):
        compare_versions(P, np.ones((2, 6, 1)), np.ones((3, 6, 1)))


def test_lower_order_terms_that_are_taken_off_do_not_hide_what_changed():
    before, after = P - 1, 1.3 * (P - 1)

    found = compare_versions(
        P, measured(before, 60, seed=17), measured(after, 60, seed=18)
    )

    assert share_of(VersionChange.LEVEL, found) >= 0.95
    assert np.mean([each.growth_after == LINEAR for each in found]) >= 0.8


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (100 / P + 2, VersionChange.NONE),
        (130 / P + 2.6, VersionChange.LEVEL),
        (200 / P + 2, VersionChange.COEFFICIENT),
        (100 / P + 4, VersionChange.COEFFICIENT),
        (100 / P + 2 + P / 5, VersionChange.GROWTH),
    ],
)
def test_what_changes_of_strong_scaling_is_told(after, change):
    before = 100 / P + 2

    found = compare_versions(
        P, measured(before, 3, seed=19), measured(after, 3, seed=20)
    )

    assert share_of(change, found) >= 0.9


def test_time_that_falls_with_one_term_changes_its_level():
    found = compare_versions(
        P, measured(100 / P, 3, seed=21), measured(130 / P, 3, seed=22)
    )

    assert share_of(VersionChange.LEVEL, found) >= 0.95
