import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scalewatch.errors import MissingParameter
from scalewatch.modelling import Model, Term, first_above, parse_growth
from scalewatch.modelling.growths.assumptions import ASSUMED as OF_GROWTHS

COEFFICIENTS = st.floats(min_value=1e-3, max_value=1e3)
GROWTHS = st.sampled_from(["log p", "p^(1/2)", "p", "p log p", "p^2"]).map(parse_growth)


@given(COEFFICIENTS, GROWTHS, COEFFICIENTS, GROWTHS)
@example(0.5, parse_growth("p"), 1 / 3, parse_growth("p"))  # They meet at the start.
def test_above_the_crossing_and_only_there_the_model_exceeds(a, fast, b, slow):
    model, limit = Model(0.0, (Term(a, fast),)), Model(b, (Term(b, slow),))

    scale = first_above(model, limit, start=2)

    if scale is None:
        assert model(p=OF_GROWTHS.largest_scale) <= limit(p=OF_GROWTHS.largest_scale)
        return
    just_below, just_above = scale * (1 - 1e-6), scale * (1 + 1e-6)
    assert model(p=just_above) > limit(p=just_above)
    if scale > 2:
        assert model(p=just_below) < limit(p=just_below)
    else:
        assert model(p=2) >= limit(p=2)


def test_other_parameters_stay_where_they_are():
    work = Model(0.0, (Term(1.0, parse_growth("n p")),))

    scale = first_above(work, Model(1000.0), others={"n": 10})

    assert scale == pytest.approx(100)


def test_two_crossings_give_the_first():
    hill = Model(
        -16.0, (Term(10.0, parse_growth("p")), Term(-1.0, parse_growth("p^2")))
    )

    assert first_above(hill, Model(0.0)) == pytest.approx(2)
    assert first_above(hill, Model(0.0), start=9) is None


def test_what_takes_less_in_every_part_never_exceeds():
    part = Model(1.0, (Term(2.0, parse_growth("n p")),))

    assert first_above(part, part * 1.05, others={"n": 10}) is None
    with pytest.raises(MissingParameter):
        first_above(part, part * 1.05)


def test_growths_beyond_all_numbers_are_compared():
    exponential = Model(0.0, (Term(1e-3, parse_growth("2^p")),))
    steep = Model(0.0, (Term(1.0, parse_growth("2^(2p)")),))

    assert first_above(exponential, Model(1.024), start=2) == pytest.approx(10)
    assert first_above(exponential, steep, start=2) is None


@given(st.floats(min_value=2.0, max_value=1e15))
def test_crossing_is_as_precise_as_numbers_are(scale):
    line = Model(0.0, (Term(1.0, parse_growth("p")),))

    assert first_above(line, Model(scale)) == pytest.approx(scale, rel=1e-14)
