"""How figures, pages and sentences write growths, settings and certainty."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from html import escape
from typing import Final

from scalewatch.modelling import Factor, Growth
from scalewatch.texts.scales import RESOURCES
from scalewatch.wire.reports import COUNTED_PARAMETERS

LONGEST_NAME: Final = 40
"""Letters of a name in a legend."""

THIN: Final = "\N{THIN SPACE}"

SHARED_CORES: Final = "processes shared cores"
DISTURBED: Final = "others took processors of the job"
NO_EVIDENCE: Final = (SHARED_CORES, DISTURBED)
"""Why times are no evidence, in words with which reasons begin."""

UNJUDGED: Final = " or ".join(NO_EVIDENCE)
"""Begins the reason of each verdict that is undecided because of it."""

CERTAIN: Final = 0.995
"""Probabilities beyond it would be written as 100 %."""


def growth_markup(growth: Growth) -> str:
    """Return as markup for instance `<i>p</i><sup>1/2</sup> / log <i>p</i>`.

    Names of parameters are escaped; the constant growth is 1.
    """
    powers = [power for factor in growth.factors for power in _powers(factor)]
    above = [_raised(base, exponent) for base, exponent in powers if exponent > 0]
    below = [_raised(base, -exponent) for base, exponent in powers if exponent < 0]
    numerator = THIN.join(above) or "1"
    if not below:
        return numerator
    denominator = THIN.join(below)
    return f"{numerator} / {denominator if len(below) == 1 else f'({denominator})'}"


def setting_text(value: object) -> str:
    """Write the value of a parameter exactly: `65,536`, `0.125`, `yes`, `–`."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return f"{int(value):,}" if float(value).is_integer() else f"{value:.12g}"
    if isinstance(value, Mapping):
        return ", ".join(
            f"{name} = {held_text(setting, name)}" for name, setting in value.items()
        )
    if isinstance(value, list | tuple):
        return ", ".join(map(setting_text, value))
    return "–" if value is None else str(value)


def places_words(places: Collection[tuple[tuple[str, float], ...]]) -> str:
    """Name places: `p = 32, 64`, or `p = 32, threads = 2; p = 64, threads = 2`."""
    ordered = sorted(places)
    names = {name for place in ordered for name, _ in place}
    if len(names) == 1:
        (name,) = names
        return f"{name} = {', '.join(f'{value:g}' for ((_, value),) in ordered)}"
    return "; ".join(
        ", ".join(f"{name} = {value:g}" for name, value in place) for place in ordered
    )


def held_text(value: object, name: str) -> str:
    """Write a setting: digits are grouped of scales, not of seeds and message sizes."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and name not in COUNTED_PARAMETERS | RESOURCES.keys():
        return str(value) if isinstance(value, int) else f"{value:.12g}"
    return setting_text(value)


def _powers(factor: Factor) -> list[tuple[str, Fraction]]:
    """List what is raised to which power, the most dominant first."""
    name = f"<i>{escape(factor.parameter)}</i>"
    parts = [(name, factor.power), (f"log {name}", factor.log)]
    if factor.exp2:
        multiple = "" if abs(factor.exp2) == 1 else f"{abs(factor.exp2)}{THIN}"
        sign = Fraction(1 if factor.exp2 > 0 else -1)
        parts.insert(0, (f"2<sup>{multiple}{name}</sup>", sign))
    return [(base, exponent) for base, exponent in parts if exponent]


def _raised(base: str, exponent: Fraction) -> str:
    if exponent == 1:
        return base
    if base.startswith("log "):
        return base.replace("log ", f"log<sup>{exponent}</sup> ", 1)
    return f"{base}<sup>{exponent}</sup>"


def listed(name: str) -> str:
    """Return a name as a legend can hold it: as text, not too long."""
    is_long = len(name) > LONGEST_NAME
    return escape(f"{name[: LONGEST_NAME - 1]}…" if is_long else name)
