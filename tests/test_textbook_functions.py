"""The functions by which rules are measured have the truth that they claim."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from benchmarks.textbook import scores
from benchmarks.textbook.answers import Answer, expectations
from benchmarks.textbook.drawings import EXACT, ROUNDED, draw
from benchmarks.textbook.families import FAMILIES
from benchmarks.textbook.scored import Scored, summaries, worst

from scalewatch.modelling import Growth, Verdict

FUNCTIONS = [
    pytest.param(family, function, id=f"{name}: {function.name}")
    for name, family in FAMILIES.items()
    for function in family.functions
    if function.growth is not None
]
FAR = 1e40 * np.array([1.0, 2.0])
LINEAR = Growth.of("p", 1)


def certain(growth, *, outcome=None, low=1.0, high=1.0):
    forecasts = np.array([[1.0, low, high]] * 2)
    verdicts = (Verdict.MATCH, Verdict.MISMATCH, Verdict.MATCH)
    return Answer(growth, {growth: 0.95}, forecasts, verdicts, outcome)


def scored(answer):
    """Score an answer about p − 1 whose true forecasts are 1."""
    (drawing, *_) = draw(FAMILIES["textbook"], EXACT, 1, 2, [1])
    assert drawing.function.growth == LINEAR
    own = replace(drawing, far=np.ones((1, 2)))
    return scores.summary(scores.scores(own, [answer]))


@pytest.mark.parametrize(("family", "function"), FUNCTIONS)
def test_a_function_grows_like_its_leading_term_at_last(family, function):
    at = dict.fromkeys(family.parameters, FAR)
    ones = np.ones((1, 1))

    values = function.curve(ones, ones, *at.values())[0]

    rate, claimed = values[1] / values[0], function.growth(at)
    assert rate == pytest.approx(
        claimed[1] / claimed[0] if claimed.ndim else 1, rel=1e-3
    )


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_counted_is_an_integer_where_it_is_by_nature(name):
    for drawing in draw(FAMILIES[name], EXACT, 2, 3, [1]):
        if drawing.function.is_count:
            assert np.array_equal(drawing.values, np.round(drawing.values))


def test_rounded_counts_are_integers_and_the_same_in_each_repetition():
    for drawing in draw(FAMILIES["unseen"], ROUNDED, 2, 3, [1]):
        assert np.array_equal(drawing.values, np.round(drawing.values))
        assert np.ptp(drawing.values, axis=2).max() == 0


def test_what_is_drawn_of_a_function_depends_on_its_seed_alone():
    (first, *_) = draw(FAMILIES["textbook"], "10 %", 3, 5, [1])
    (other, *_) = draw(FAMILIES["textbook"], "10 %", 3, 5, [2])
    (again, *_) = draw(FAMILIES["textbook"], "10 %", 3, 5, [1, 2])

    assert np.array_equal(first.values, again.values)
    assert not np.array_equal(first.values, other.values)


def test_no_function_that_nothing_is_chosen_by_is_in_another_family():
    names = {key: [f.name for f in each.functions] for key, each in FAMILIES.items()}
    unseen = names.pop("unseen")
    del names["four settings"]

    assert len(set(unseen)) == len(unseen) >= 15
    assert set(unseen).isdisjoint(chain.from_iterable(names.values()))


def test_a_wrong_growth_is_surely_wrong_where_it_is_likely_or_said_to_be_exact():
    right, wrong = certain(LINEAR), certain(Growth.of("p", "3/4", 1))

    assert scored(right)[scores.SURELY_WRONG] == 0
    assert scored(wrong)[scores.SURELY_WRONG] == 1
    exact = Answer(wrong.growth, {}, wrong.forecasts, wrong.verdicts, "exact")
    assert scored(exact)[scores.SURELY_WRONG] == 1


def test_a_growth_said_to_be_ambiguous_is_open_and_not_right():
    cells = scored(certain(Growth.of("p", "3/4", 1), outcome="ambiguous"))

    assert (cells[scores.RIGHT], cells[scores.OPENLY]) == (0, 1)


def test_an_interval_of_no_width_holds_what_is_true_but_for_rounding():
    assert scored(certain(LINEAR))[scores.HOLDS_64] == 1
    assert scored(certain(LINEAR, low=1 + 1e-9, high=1 + 1e-9))[scores.HOLDS_64] == 1
    assert scored(certain(LINEAR, low=1.01, high=1.02))[scores.HOLDS_64] == 0


def test_a_forecast_that_is_not_given_neither_holds_nor_fails():
    cells = scored(Answer(LINEAR, {}, np.full((2, 3), np.nan), (Verdict.MATCH,) * 3))

    assert np.isnan(cells[scores.HOLDS_64])
    assert cells[scores.GIVEN] == 0


def test_the_share_called_mismatch_is_of_what_truly_is_one():
    assert [str(each) for each in expectations(LINEAR)] == ["p", "p^2", "p^(1/2)"]

    cells = scored(certain(LINEAR))

    assert np.isnan(cells["truth · p: mismatch"])  # p² has the deviation limit p
    assert cells["truth / √p: mismatch"] == 0
    assert cells["truth / √p: match"] == 1


def test_the_worst_of_a_column_is_the_highest_where_that_is_worse():
    rows = [np.full((1, len(scores.COLUMNS)), share) for share in (0.2, 0.7)]
    found = summaries(
        [
            Scored("textbook", "scalewatch", name, "4 … 128", "11", own)
            for name, own in zip(("p − 1", "log p"), rows, strict=True)
        ],
        "function",
    )

    assert worst(found, scores.RIGHT) == (0.2, "p − 1")
    assert worst(found, scores.SURELY_WRONG) == (0.7, "log p")
