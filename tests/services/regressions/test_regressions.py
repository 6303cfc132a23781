"""Regressions: the worst of what a cause changed comes first."""

from scalewatch.modelling.forecasts.bounds import Bounds
from scalewatch.services.regressions.regressions import Member, effect_of
from support.histories import shift_details


def member(factor: float = 1.0, at_target: tuple[float, float, float] | None = None):
    bounds = Bounds(*at_target) if at_target else None
    details = shift_details(largest_factor=factor, at_target=bounds)
    return Member(1, "advance", "time", "a", {}, "1f", "1f", details)


def test_what_is_sure_comes_before_what_only_seems_to_be_much():
    unsure = member(at_target=(10.2, 0.98, 260.0))
    sure = member(at_target=(1.08, 1.02, 1.2))

    assert effect_of(sure) > effect_of(unsure)


def test_improvement_is_as_far_from_none_as_its_reciprocal():
    slower, faster = (
        member(at_target=(4, 2, 8)),
        member(at_target=(1 / 4, 1 / 8, 1 / 2)),
    )

    assert effect_of(faster) == effect_of(slower) == (2, 4)


def test_without_a_target_the_largest_scale_counts():
    assert effect_of(member(factor=0.5)) == (2, 2)
