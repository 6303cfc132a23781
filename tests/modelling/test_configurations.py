import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scalewatch.errors import TooFewConfigurations
from scalewatch.modelling import Trial, effects_of


def trials(cost, **levels):
    """Return a trial for each combination of levels."""
    names = list(levels)
    grid = np.stack(np.meshgrid(*map(np.arange, map(len, levels.values()))), -1)
    return [
        Trial(settings, cost(settings))
        for place in grid.reshape(-1, len(names)).tolist()
        for settings in [
            {name: levels[name][i] for name, i in zip(names, place, strict=True)}
        ]
    ]


def test_setting_that_decides_explains_all():
    effects = effects_of(
        trials(
            lambda at: float(at["threads"]),
            threads=(1, 2, 4),
            compiler=("gcc", "clang"),
        )
    )

    assert effects.main[0].setting == "threads"
    assert effects.main[0].share == pytest.approx(1)
    assert effects.main[0].best.level == 1
    assert effects.main[1].share == 0
    assert effects.unexplained == 0
    assert effects.best.settings["threads"] == 1


def test_effects_that_add_up_do_not_interact():
    effects = effects_of(
        trials(lambda at: at["a"] + at["b"], a=(0.0, 1.0), b=(0.0, 2.0))
    )

    assert {each.setting: each.share for each in effects.main} == pytest.approx(
        {"a": 0.2, "b": 0.8}
    )
    assert effects.interactions[0].share == pytest.approx(0)


def test_settings_that_only_matter_together_interact():
    effects = effects_of(
        trials(lambda at: at["a"] * at["b"], a=(-1.0, 1.0), b=(-1.0, 1.0))
    )

    (interaction,) = effects.interactions
    assert [each.share for each in effects.main] == [0, 0]
    assert interaction.share == pytest.approx(1)
    np.testing.assert_allclose(interaction.means, [[1, -1], [-1, 1]])


def test_missing_combinations_do_not_blame_the_wrong_setting():
    complete = trials(lambda at: at["a"], a=(0.0, 1.0, 2.0), b=("x", "y"))
    # Of "y" only the slow ones: its mean is worse through no fault of its own.
    sparse = [each for each in complete if each.settings != {"a": 0.0, "b": "y"}]

    effects = {each.setting: each for each in effects_of(sparse).main}

    assert effects["b"].levels[0].mean < effects["b"].levels[1].mean
    assert effects["b"].share == 0
    assert effects["a"].share > 0.5


def test_settings_that_change_together_are_confounded():
    effects = effects_of(
        [Trial({"a": 1, "b": "x"}, 1.0), Trial({"a": 2, "b": "y"}, 2.0)]
    )

    assert {each.setting: each.confounded_with for each in effects.main} == {
        "a": ("b",),
        "b": ("a",),
    }
    assert effects.interactions[0].share is None


def test_setting_that_does_not_vary_has_no_effect():
    effects = effects_of([Trial({"a": 1, "b": 5}, 1.0), Trial({"a": 2, "b": 5}, 2.0)])

    assert [each.setting for each in effects.main] == ["a"]


def test_true_is_not_one():
    effects = effects_of([Trial({"a": True}, 1.0), Trial({"a": 1}, 2.0)])

    assert len(effects.main[0].levels) == 2


def test_equal_objectives_leave_nothing_to_explain():
    effects = effects_of([Trial({"a": a, "b": b}, 3.0) for a in (1, 2) for b in (1, 2)])

    assert [each.share for each in effects.main] == [0, 0]
    assert effects.unexplained == 0


def test_single_configuration_is_too_few():
    with pytest.raises(TooFewConfigurations, match="two configurations; 1 has"):
        effects_of([Trial({"a": 1}, 1.0)])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["x", "y", "z"]),
            st.integers(1, 3),
            st.sampled_from([None, True, 1, "1"]),
            st.floats(-1e6, 1e6),
        ),
        min_size=2,
        max_size=20,
    )
)
def test_shares_are_shares_whatever_was_tried(tried):
    effects = effects_of(
        [Trial({"a": a, "b": b, "c": c}, value) for a, b, c, value in tried]
    )

    shares = [each.share for each in effects.main]
    shares += [each.share for each in effects.interactions if each.share is not None]
    assert all(-1e-6 <= share <= 1 + 1e-6 for share in [*shares, effects.unexplained])
    assert effects.best.value == min(value for *_, value in tried)


@pytest.mark.parametrize("scale", [1e-310, 1e-200, 1e200, 1e290])
def test_shares_are_the_same_in_any_unit(scale):
    def shares(unit):
        effects = effects_of(
            trials(lambda at: unit * (at["a"] + 2 * at["b"]), a=(1, 2), b=(1, 2, 3))
        )
        return {effect.setting: effect.share for effect in effects.main}

    assert shares(scale) == pytest.approx(shares(1.0))
