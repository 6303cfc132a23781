import pytest

from scalewatch.modelling import Growth, Model, Term, parse_growth
from scalewatch.pages.wording import mathematics
from scalewatch.texts.numbers import SPACE

ROOT = Growth.of("p", power="1/2")


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("1", "1"),
        ("p^(1/2) log p", "<i>p</i><sup>1/2</sup>\u2009log <i>p</i>"),
        ("log^2 p", "log<sup>2</sup> <i>p</i>"),
        ("1 / (p log p)", "1 / (<i>p</i>\u2009log <i>p</i>)"),
        ("k^3 2^k", "2<sup><i>k</i></sup>\u2009<i>k</i><sup>3</sup>"),
    ],
)
def test_growths_read_like_mathematics(text, markup):
    assert mathematics.growth(parse_growth(text)) == (
        f'<span class="mathematics">{markup}</span>'
    )


def test_growths_kept_as_text_read_alike():
    assert mathematics.stated_growth("p^(1/2)") == mathematics.growth(ROOT)
    assert mathematics.stated_order("p^(1/2)") == mathematics.big_o(ROOT)
    assert mathematics.stated_growth(None) == "–"


def test_parameter_names_are_never_markup():
    assert "<script>" not in mathematics.big_o(Growth.of("<script>", power=1))


def test_formula_carries_units_and_signs():
    model = Model(-1.65e-5, (Term(1.69e-5, ROOT), Term(-2e-9, Growth.of("p", 1))))

    assert mathematics.formula(model, "s").striptags().replace(SPACE, " ") == (
        "−16.5 µs + 16.9 µs · p1/2 − 2.00 ns · p"
    )


def test_a_constant_of_zero_is_left_out_unless_it_is_all():
    alone = mathematics.formula(Model(0.0, (Term(2e-6, ROOT),)), "s")

    assert alone.striptags().startswith("2.00")
    assert mathematics.formula(Model(0.0), "B").striptags() == "0 B"


def test_a_missing_growth_is_shown_as_missing():
    assert mathematics.big_o(None) == "–"
