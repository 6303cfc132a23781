from dataclasses import replace
from datetime import UTC, datetime

import orjson
import pytest

from scalewatch.modelling import find_models, parse_growth
from scalewatch.modelling.growths.verdict import Verdict
from scalewatch.services.analysis import rows
from scalewatch.services.expectations.in_force import Expectation
from support.service_sentences import SAID

P = [2.0, 4, 8, 16, 32]
LINEAR = [[[3e-6 + 1e-6 * p] * 3 for p in P]]
EXPECTED = Expectation(
    id=7,
    region="solve",
    metric="time",
    growth=parse_growth("p"),
    deviation_limit=parse_growth("p^(1/2)"),
    version=2,
    author="ada",
    reason=None,
    declared_at=datetime(2026, 9, 1, tzinfo=UTC),
)


@pytest.fixture
def finding():
    (found,) = find_models(P, LINEAR, expectation=EXPECTED.growth)
    return found


def test_the_row_of_a_model_holds_its_terms_as_text(finding):
    row = rows.model_row(1, 5, finding)

    ((coefficient, growth),) = row["terms"]
    assert (growth, row["growth"]) == ("p", "p")
    assert coefficient == pytest.approx(1e-6)
    assert row["constant"] == pytest.approx(3e-6)
    assert (row["points"], row["repetitions"], row["reason"]) == (5, 3, "")


def test_the_row_of_a_verdict_names_the_version_that_judged(finding):
    row = rows.verdict_row(1, 5, finding, EXPECTED)

    assert (row["expectation_id"], row["deviation_limit"]) == (7, "p^(1/2)")
    assert (row["verdict"], row["divergence"], row["reason"]) == ("match", "1", "")


def test_an_expectation_over_what_was_not_varied_is_the_reason(finding):
    row = rows.verdict_row(1, 5, replace(finding, expectation=None), EXPECTED)

    assert row["reason"] == SAID["expected of another parameter"]


def test_probabilities_are_rounded_and_of_the_verdicts_only_if_one_is_expected(finding):
    certain = replace(finding, verdict_probability={Verdict.MATCH: 0.12345678})

    likely = rows.likely(certain, EXPECTED)

    assert orjson.loads(likely.verdicts) == {"match": 0.123457}
    assert likely.expectation_id == EXPECTED.id
    assert rows.likely(certain, None) == (likely.growths, "{}", None)
