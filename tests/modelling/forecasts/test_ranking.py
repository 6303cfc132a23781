import pytest

from scalewatch.modelling import Model, Term, parse_growth
from scalewatch.modelling.forecasts.ranking import rank_regions


def model(coefficient, growth):
    return Model(0.0, (Term(coefficient, parse_growth(growth)),))


MODELS = {
    "receive": model(4.0, "p^(1/2)"),
    "sweep": Model(1000.0),
    "gather": model(1e-3, "p^2"),
    "scatter": model(2e-3, "p^2"),
}


def test_regions_are_ranked_by_their_prediction_at_the_target():
    predicted = {region: float(each({"p": 100})) for region, each in MODELS.items()}

    ranked = rank_regions(MODELS, predicted)

    assert [(each.region, each.value) for each in ranked] == [
        ("sweep", 1000),
        ("receive", pytest.approx(40)),
        ("scatter", pytest.approx(20)),
        ("gather", pytest.approx(10)),
    ]
    assert sum(each.share for each in ranked) == pytest.approx(1)


def test_without_a_target_the_fastest_growth_comes_first():
    ranked = rank_regions(MODELS)

    assert [each.region for each in ranked] == ["scatter", "gather", "receive", "sweep"]
    assert {each.value for each in ranked} == {None}


def test_regions_worse_than_the_threshold_are_marked():
    ranked = rank_regions(MODELS, threshold=parse_growth("p"))

    assert [each.region for each in ranked if each.exceeds_threshold] == [
        "scatter",
        "gather",
    ]
    assert not any(each.exceeds_threshold for each in rank_regions(MODELS))


def test_regions_that_cost_nothing_have_no_share():
    (ranked,) = rank_regions({"idle": Model(0.0)}, {"idle": 0.0})

    assert ranked.value == 0
    assert ranked.share is None


def test_a_region_without_a_prediction_comes_last():
    ranked = rank_regions(MODELS, {"sweep": 1.0, "receive": 2.0})

    assert [each.region for each in ranked] == ["receive", "sweep", "scatter", "gather"]
