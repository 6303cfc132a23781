from dataclasses import replace
from datetime import UTC, datetime

import numpy as np

from scalewatch.modelling import parse_growth
from scalewatch.services.analysis.pools import SeriesPool
from scalewatch.services.analysis.questions import SeriesQuestion, find_all
from scalewatch.services.expectations.in_force import Expectation

P = np.array([2.0, 4, 8, 16, 32])
SERIES = SeriesPool(("p",), P[:, np.newaxis], 3 + P[:, np.newaxis] * np.ones(3))
EXPECTED = Expectation(
    id=1,
    region="solve",
    metric="time",
    growth=parse_growth("p"),
    deviation_limit=parse_growth("p^(1/2)"),
    version=1,
    author="ada",
    reason=None,
    declared_at=datetime(2026, 9, 1, tzinfo=UTC),
)


def test_a_question_leaves_out_what_depends_on_other_parameters():
    limit = replace(EXPECTED, deviation_limit=parse_growth("n"))
    targets = [{"p": 64.0, "n": 10.0}, {"n": 10.0}]

    question = SeriesQuestion.of(SERIES, limit, targets=targets)

    assert (question.expectation, question.deviation_limit) == (None, None)
    assert question.targets == [{"p": 64.0}]
    assert SeriesQuestion.of(SERIES, EXPECTED).expectation == parse_growth("p")


def test_questions_with_the_same_answer_have_the_same_key():
    question = SeriesQuestion.of(SERIES, EXPECTED, targets=[{"p": 64.0}])
    other = replace(SERIES, values=SERIES.values * 2)
    same = SeriesQuestion.of(SERIES, EXPECTED, None, [{"p": 64.0}])

    assert question.key() == same.key()
    keys = {
        question.key(),
        SeriesQuestion.of(other, EXPECTED, targets=[{"p": 64.0}]).key(),
        SeriesQuestion.of(SERIES, targets=[{"p": 64.0}]).key(),
        SeriesQuestion.of(SERIES, EXPECTED).key(),
    }
    assert len(keys) == 4


def test_what_was_found_is_not_found_again_but_for_other_choices():
    question = SeriesQuestion.of(SERIES, EXPECTED)

    (first,) = find_all([question], {"rule": "evidence"})
    (again,) = find_all([SeriesQuestion.of(SERIES, EXPECTED)], {"rule": "evidence"})
    (paper,) = find_all([question], {"rule": "paper"})

    assert again is first
    assert paper is not first
    assert paper.class_probability == {}
