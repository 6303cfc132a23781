import numpy as np
import pytest

from scalewatch.modelling import extrapolations
from scalewatch.modelling.traces import (
    Bend,
    bend_of,
    bending_places,
    is_usable,
)
from support.reference_tables import read

TABLES = read("sweep3d_polynomials.json")
BLOCKING, NON_BLOCKING = TABLES["variants"]
P = np.array([4.0, 8, 12, 14, 21, 24, 28])


def sweep3d(variant, points=7):
    times = TABLES["variants"][variant]["T_seconds"][:points]
    return extrapolations(TABLES["P"][:points], times), times[-1]


def test_thresholds_say_of_sweep3d_what_its_publication_says():
    assert bend_of(*sweep3d(BLOCKING)) is Bend.SLOWER
    assert bend_of(*sweep3d(NON_BLOCKING)) is Bend.LINEAR
    assert is_usable(sweep3d(BLOCKING)[0])
    assert is_usable(sweep3d(NON_BLOCKING)[0])


def test_first_four_settings_of_sweep3d_do_not_predict_the_fifth():
    rows, _ = sweep3d(BLOCKING, 6)

    assert rows[0].d > 60
    assert not is_usable(rows)


def test_two_subsets_tell_neither_bend_nor_use():
    rows, largest = sweep3d(BLOCKING, 5)

    assert bend_of(rows, largest) is Bend.UNKNOWN
    assert is_usable(rows) is None


@pytest.mark.parametrize(
    ("times", "bend"),
    [
        (1 + 2 * P, Bend.LINEAR),
        (5 + P + 0.1 * P**2, Bend.FASTER),
        (5 + 40 * P - 0.5 * P**2, Bend.SLOWER),
        (0 * P, Bend.LINEAR),
    ],
)
def test_bend_of_a_known_curve(times, bend):
    assert bend_of(extrapolations(P, times), times[-1]) is bend


def test_places_that_make_up_most_of_a_bend_are_named():
    curves = {
        "receive": P + 0.3 * P**2,
        "send": P + 0.2 * P**2,
        "barrier": P + 0.02 * P**2,
        "reduce": 90 * P - 0.4 * P**2,
    }
    rows = {name: extrapolations(P, times) for name, times in curves.items()}

    named = dict(bending_places(rows, sign=+1))

    assert list(named) == ["receive", "send"]
    assert named["receive"] == pytest.approx(0.3 / 0.52)
    assert [name for name, _ in bending_places(rows, sign=-1)] == ["reduce"]
