"""Growth classes and models as HTML that reads like mathematics."""

import re
from functools import lru_cache
from typing import Final

from markupsafe import Markup, escape

from scalewatch.figures.notation import growth_markup
from scalewatch.modelling import Growth, Model, parse_growth
from scalewatch.pages.wording.formats import quantity
from scalewatch.services.expectations.in_force import ComposedExpectation, Expectation
from scalewatch.services.series.standing import Standing
from scalewatch.texts.numbers import MISSING

NAMES: Final = re.compile(r"\b(?!log\b|ceil\b)[A-Za-z_]\w*")
"""Names of parameters in a formula."""

RAISED: Final = re.compile(r"\^(?:\(([^()]*)\)|([\d.]+))")
"""An exponent."""


@lru_cache(maxsize=4096)
def growth(value: Growth | None) -> Markup:
    """Set a growth: p^(1/2) log p with italics and raised exponents."""
    if value is None:
        return escape(MISSING)
    return Markup('<span class="mathematics">{}</span>').format(_product(value))


@lru_cache(maxsize=4096)
def big_o(value: Growth | None) -> Markup:
    """Set a growth as an order, O(…)."""
    if value is None:
        return escape(MISSING)
    return Markup('<span class="mathematics"><i>O</i>({})</span>').format(
        _product(value)
    )


def stated(text: str | None) -> Growth | None:
    """Return a growth that is kept as text."""
    return parse_growth(text) if text else None


@lru_cache(maxsize=4096)
def stated_growth(text: str | None) -> Markup:
    """Set a growth that is kept as text."""
    return growth(stated(text))


@lru_cache(maxsize=4096)
def stated_order(text: str | None) -> Markup:
    """Set a growth that is kept as text as an order, O(…)."""
    return big_o(stated(text))


def stated_expectation(
    expectation: Expectation | None, composition: ComposedExpectation | None
) -> Markup:
    """Set what is expected: an order, the formula of a composed model, or nothing."""
    if expectation is not None:
        return big_o(expectation.growth)
    if composition is not None:
        return Markup("<code>{}</code>").format(composition.formula)
    return Markup("nothing")


@lru_cache(maxsize=8192)
def formula(model: Model, unit: str) -> Markup:
    """Set a model with its coefficients: 7.31 µs + 2.11 µs · p^(1/2)."""
    if model.is_exact:
        return exact_formula(model.formula, unit)
    summands = [
        (term.coefficient, f" · {_product(term.growth)}") for term in model.terms
    ]
    if model.constant or not summands:
        summands.insert(0, (model.constant, ""))
    (first, product), *others = summands
    text = f"{escape(quantity(first, unit))}{product}"
    for coefficient, product in others:
        sign = "−" if coefficient < 0 else "+"
        text += f" {sign} {escape(quantity(abs(coefficient), unit))}{product}"
    return Markup(  # noqa: S704, its parts are escaped
        f'<span class="mathematics mathematics--long">{text}</span>'
    )


@lru_cache(maxsize=8192)
def exact_formula(text: str, unit: str = "") -> Markup:
    """Set a formula of exact counts: p · (p - 1)/2."""
    named = NAMES.sub(r"<i>\g<0></i>", str(escape(text)))
    raised = RAISED.sub(r"<sup>\1\2</sup>", named)
    typeset = raised.replace("*", " · ").replace("-", "−")
    counted = "" if unit in {"", "1"} else f" {escape(unit)}"
    return Markup(  # noqa: S704, its parts are escaped
        f'<span class="mathematics mathematics--long">{typeset}{counted}</span>'
    )


def _product(value: Growth) -> Markup:
    return Markup(growth_markup(value))  # noqa: S704, names in it are escaped


NO_GROWTH: Final = "no growth fits"
NONE_OF_THEM: Final = Markup("like no growth of the space")
PERHAPS: Final = "perhaps "


def order(value: Growth | None) -> str:
    """Write a growth as an order in plain text: `O(√p · log p)`."""
    return "–" if value is None else f"O({value.unicode()})"


def found_order(standing: Standing) -> str:
    """Write how a series grows in plain text: `perhaps O(log p)`."""
    if standing.fits_none:
        return NO_GROWTH
    return f"{PERHAPS if standing.is_open else ''}{order(standing.growth)}"


def found_growth(standing: Standing) -> Markup:
    """Set how a series grows as an order; faint where that is open."""
    if standing.fits_none:
        return Markup('<span class="quiet small">{}</span>').format(NO_GROWTH)
    grown = big_o(standing.growth)
    if not standing.is_open:
        return grown
    return Markup('<span class="quiet small">{}{}</span>').format(PERHAPS, grown)


def verb(growth: Growth | None) -> str:
    """Return `falls` of a growth that falls, else `grows`."""
    return "falls" if growth is not None and growth.falls else "grows"


def grows_like(standing: Standing) -> Markup:
    """Say what a series grows like: `grows perhaps like O(log p)`, `falls like …`."""
    if standing.fits_none:
        return Markup("grows {}").format(NONE_OF_THEM)
    return Markup("{} {}like {}").format(
        verb(standing.growth),
        PERHAPS if standing.is_open else "",
        big_o(standing.growth),
    )
