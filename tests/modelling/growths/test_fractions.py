import pytest

from scalewatch.modelling import Model, Term, parse_growth


def exact(constant, *terms):
    """Build an exact model from pairs of coefficient and growth."""
    built = (Term(c, parse_growth(text), *up) for c, text, *up in terms)
    return Model(constant, tuple(built), is_exact=True)


@pytest.mark.parametrize(
    ("model", "formula"),
    [
        (exact(0, (0.5, "p^2"), (-0.5, "p")), "p*(p-1)/2"),
        (exact(-1, (1, "p")), "p - 1"),
        (exact(-2, (2, "p")), "2*(p-1)"),
        (exact(1e6, (-1e6, "1/p")), "1000000*(p-1)/p"),
        (exact(1, (1, "p log p"), (-1, "p")), "p log p - p + 1"),
        (exact(8580, (8, "p")), "8*p + 8580"),
        (exact(0, (4, "p"), (-4, "p^(1/2)")), "4*(p-p^(1/2))"),
        (exact(5, (-2, "p^(-1/2)")), "5 - 2/p^(1/2)"),
        (exact(0, (1 / 6, "p^3"), (-1 / 2, "p^2"), (1 / 3, "p")), "p*(p^2-3*p+2)/6"),
        (exact(0, (1, "p log p", "ceil")), "p ceil(log p)"),
        (exact(0, (3, "log^2 p", "floor")), "3*floor(log p)^2"),
        (exact(-1.75, (1.883, "p")), "1.883*p - 7/4"),
        (exact(0, (1, "n p"), (-1, "n")), "n*(p-1)"),
        (exact(0, (1, "n"), (-1, "n/p")), "n*(p-1)/p"),
        (exact(0, (10000, "n^2/p"), (1, "n/p^(1/2)")), "10000*n^2/p + n/p^(1/2)"),
        (exact(0, (0.5, "1/p"), (3, "log p")), "3*log p + 1/(2*p)"),
        (exact(7), "7"),
        (exact(0), "0"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_an_exact_model_is_written_with_fractions(model, formula):
    assert model.formula == formula


def test_whole_powers_are_told_without_rounding():
    model = exact(0, (1, "p^3"), (-1, "p^2"))

    assert model(p=[3, 48, 383]).tolist() == [18, 48**2 * 47, 383**2 * 382]


def test_levels_of_a_heap_are_rounded_down():
    levels = exact(1, (1, "log p", "floor"))

    assert levels(p=[1, 2, 3, 4, 7, 8, 9, 1023, 1024]).tolist() == [
        1, 2, 2, 3, 3, 4, 4, 10, 11,
    ]  # fmt: skip


def test_rounded_up_logarithms_count_whole_rounds():
    rounds = exact(0, (1, "log p", "ceil"))

    assert rounds(p=[1, 2, 3, 4, 5, 8, 9, 1024, 1025]).tolist() == [
        0, 1, 2, 2, 3, 3, 4, 10, 11,
    ]  # fmt: skip
    assert rounds.growth == parse_growth("log p")
