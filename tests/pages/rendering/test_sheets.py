import numpy as np
import pytest

from scalewatch.pages.rendering.sheets import LogAxis, sheet, strip


@pytest.mark.parametrize(
    ("value", "place"), [(1, 10), (10, 60), (100, 110), (3.2, 35.3)]
)
def test_axis_maps_equal_ratios_to_equal_distances(value, place):
    axis = LogAxis(1, 100, 10, 110)

    assert axis.place(value) == place
    assert axis.places(np.array([value])) == pytest.approx([place], abs=0.05)


def test_axis_of_a_single_value_has_its_place():
    assert LogAxis(5, 5, 10, 110).place(5) == 10


def test_axis_grows_no_steeper_than_its_least_span_allows():
    axis = LogAxis(1, 1.001, 0, 100, least_span=0.05)

    assert axis.place(1.001) == pytest.approx(2, abs=0.1)


def test_sheet_that_the_browser_has_is_not_sent_again():
    first = sheet(["<symbol/>"], "")

    again = sheet(["<symbol/>"], first.headers["etag"])

    assert b"<symbol/>" in first.body
    assert (again.status_code, again.body) == (304, b"")


@pytest.mark.parametrize("values", [(1.0, 2.0, 4.0), (-1.0, 0.0, 1.0)])
def test_middle_of_a_strip_is_between_its_ends(values):
    low, middle, high = values

    drawn = strip(values, low, middle, high)

    assert 'class="strip__middle" x1="60.0"' in drawn
    assert drawn.count('class="strip__tick"') == 3


def test_single_repetition_makes_no_strip():
    assert not strip([1.0], 1.0, 1.0, 1.0)
