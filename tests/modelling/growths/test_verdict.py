import pytest
from hypothesis import given

from scalewatch.modelling import (
    CONSTANT,
    Direction,
    Mark,
    Verdict,
    default_deviation_limit,
    direction,
    judge,
    parse_growth,
)
from scalewatch.modelling.growths.verdict import decide
from support.reference_tables import mafia_cells, mpi_cells
from support.strategies import growths

CELLS = [*mpi_cells(), *mafia_cells()]
SQRT = parse_growth("p^(1/2)")


def test_the_paper_prints_43_verdicts():
    assert len(CELLS) == 24 + 15 + 4


@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_published_models_get_their_published_verdict_and_divergence(cell):
    limit = cell.deviation_limit or default_deviation_limit(cell.expectation)

    verdict = judge(cell.model.growth, cell.expectation, limit)

    assert cell.model.growth / cell.expectation == cell.divergence
    assert verdict is cell.verdict


@pytest.mark.parametrize(
    ("verdict", "side", "mark"),
    [
        (Verdict.MISMATCH, Direction.BETTER, Mark.BETTER),
        (Verdict.MISMATCH, Direction.WORSE, Mark.MISMATCH),
        (Verdict.MISMATCH, None, Mark.MISMATCH),
        (Verdict.APPROXIMATE, Direction.BETTER, Mark.APPROXIMATE),
        (Verdict.UNDECIDED, Direction.BETTER, Mark.UNDECIDED),
    ],
)
def test_only_a_mismatch_for_the_better_is_marked_better(verdict, side, mark):
    assert Mark.of(verdict, side) is mark


def test_every_mark_has_a_symbol_of_its_own():
    assert len({mark.symbol for mark in Mark}) == len(Mark)


@given(growths(), growths(("p",)))
def test_a_growth_matches_itself_whatever_the_limit(growth, limit):
    assert judge(growth, growth, limit) is Verdict.MATCH


@given(growths(("p",)))
def test_the_limits_themselves_are_still_acceptable(expectation):
    assert judge(expectation * SQRT, expectation, SQRT) is Verdict.APPROXIMATE
    assert judge(expectation / SQRT, expectation, SQRT) is Verdict.APPROXIMATE


def test_each_parameter_has_to_stay_within_its_limit():
    expectation = parse_growth("n p")

    assert judge(parse_growth("n^2 p"), expectation, SQRT) is Verdict.MISMATCH
    assert judge(parse_growth("n p^1.25"), expectation, SQRT) is Verdict.APPROXIMATE


def test_a_divergence_that_grows_is_worse_and_one_that_falls_is_better():
    assert direction(SQRT) is Direction.WORSE
    assert direction(CONSTANT / SQRT) is Direction.BETTER
    assert direction(CONSTANT) is None


@pytest.mark.parametrize(
    ("match", "approximate", "mismatch", "verdict"),
    [
        (0.02, 0.03, 0.95, Verdict.MISMATCH),
        (0.6, 0.38, 0.02, Verdict.MATCH),
        (0.3, 0.68, 0.02, Verdict.APPROXIMATE),
        (0.4, 0.3, 0.3, Verdict.UNDECIDED),
    ],
)
def test_a_posterior_decides_only_what_it_settles(
    match, approximate, mismatch, verdict
):
    shares = {
        Verdict.MATCH: match,
        Verdict.APPROXIMATE: approximate,
        Verdict.MISMATCH: mismatch,
    }

    assert decide(shares, level=0.9) is verdict
