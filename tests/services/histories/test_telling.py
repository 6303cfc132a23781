from scalewatch.modelling.histories.explanation import ShiftKind
from scalewatch.services.histories.segments import StoredChange, telling


def change(at: int, factor: float, before: str = "p", after: str = "p") -> StoredChange:
    """Return a change of level, or of growth."""
    return StoredChange(
        first=at,
        last=at,
        kind=ShiftKind.LEVEL if before == after else ShiftKind.GROWTH,
        is_gradual=False,
        factor=factor,
        low=factor,
        high=factor,
        probability=1.0,
        growth_before=before,
        growth_after=after,
        regression=1,
    )


def test_the_newest_change_of_growth_matters_more_than_later_small_steps():
    growth = change(4, 7.3, "log p", "p")

    assert telling([change(2, 9.0), growth, change(8, 0.99)]) is growth


def test_without_a_change_of_growth_the_largest_matters():
    halved = change(3, 0.5)

    assert telling([halved, change(8, 1.4)]) is halved


def test_a_series_that_never_changed_has_none():
    assert telling([]) is None
