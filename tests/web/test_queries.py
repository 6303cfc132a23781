from urllib.parse import urlencode

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from scalewatch.errors import BadScale, UnknownChoice
from scalewatch.modelling import Against, Correction, ScalingKind
from scalewatch.services.configurations import (
    ConfigurationQuestion,
    Objective,
)
from scalewatch.services.hotspots import HotspotQuestion
from scalewatch.services.scaling_errors.scan import ScalingQuestion, TimesSource
from scalewatch.web.queries import (
    ConfigurationQuestionDep,
    HotspotQuestionDep,
    ScalingQuestionDep,
)


def read(question, **query):
    """Return the question that a query states."""
    app, stated = FastAPI(), []

    @app.get("/")
    def remember(asked: question) -> None:
        stated.append(asked)

    TestClient(app).get("/?" + urlencode(query, doseq=True))
    return stated.pop()


def test_a_query_states_a_question_about_scaling_errors():
    query = {"kind": "weak", "size": "1e3", "base": "4", "source": "model"}

    stated = read(ScalingQuestionDep, **query, to="", vs="commit=v1")

    assert stated == ScalingQuestion(
        ScalingKind.WEAK, 1000, 4, TimesSource.MODEL, reach=None, vs="commit=v1"
    )
    assert read(ScalingQuestionDep, to="64").reach == 64


def test_a_query_states_a_question_about_hotspots():
    query = {"over": "n", "against": "first", "correction": "benjamini-hochberg"}

    stated = read(HotspotQuestionDep, **query, unit="0.001", held="", at="", vs="")

    assert stated == HotspotQuestion(
        over="n",
        against=Against.FIRST,
        correction=Correction.BENJAMINI_HOCHBERG,
        unit=0.001,
    )


def test_a_query_states_a_question_about_configurations():
    query = {"objective": "time", "kind": "weak", "target": "64", "size": "1000"}
    where, declare = ["threads=1|2", ""], ["compiler=gcc|icc|gcc"]

    stated = read(ConfigurationQuestionDep, **query, where=where, declare=declare)

    assert stated == ConfigurationQuestion(
        objective=Objective.TIME,
        kind=ScalingKind.WEAK,
        target=64,
        size=1000,
        constraints={"threads": ("1", "2")},
        declared={"compiler": ("gcc", "icc")},
    )


@pytest.mark.parametrize(
    ("question", "names", "usual"),
    [
        (ScalingQuestionDep, "kind size base source to vs", ScalingQuestion()),
        (HotspotQuestionDep, "over held against unit at vs", HotspotQuestion()),
        (
            ConfigurationQuestionDep,
            "objective kind target size where declare",
            ConfigurationQuestion(),
        ),
    ],
    ids=["scaling", "hotspots", "configurations"],
)
def test_what_is_empty_is_not_stated(question, names, usual):
    assert read(question) == usual
    assert read(question, **dict.fromkeys(names.split(), "")) == usual


@pytest.mark.parametrize("size", ["abc", "-1", "0", "nan", "inf"])
def test_a_size_that_is_no_positive_number_is_refused(size):
    with pytest.raises(BadScale, match="is not a positive number"):
        read(ScalingQuestionDep, size=size)


def test_an_unknown_kind_of_scaling_is_refused():
    with pytest.raises(UnknownChoice, match="known are strong, weak"):
        read(ScalingQuestionDep, kind="sideways")


@pytest.mark.parametrize(
    ("question", "name", "text", "error"),
    [
        (HotspotQuestionDep, "against", "last", UnknownChoice),
        (HotspotQuestionDep, "correction", "none", UnknownChoice),
        (HotspotQuestionDep, "unit", "-1", BadScale),
        (HotspotQuestionDep, "unit", "day", BadScale),
        (HotspotQuestionDep, "unit", "nan", BadScale),
        (ConfigurationQuestionDep, "objective", "speed", UnknownChoice),
        (ConfigurationQuestionDep, "kind", "sideways", UnknownChoice),
        (ConfigurationQuestionDep, "target", "-4", BadScale),
        (ConfigurationQuestionDep, "size", "much", BadScale),
        (ConfigurationQuestionDep, "where", "threads", UnknownChoice),
        (ConfigurationQuestionDep, "declare", "=2", UnknownChoice),
    ],
)
def test_a_question_without_sense_is_refused(question, name, text, error):
    with pytest.raises(error):
        read(question, **{name: text})
